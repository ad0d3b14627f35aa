"""N.onnx, N.in and N.out of a folder: see write_world in test_export.c."""
import glob
import sys

import numpy
import onnx
import onnxruntime

files = sorted(glob.glob(sys.argv[1] + "/*.onnx"))
assert files
for path in files:
    stem = path[: -len(".onnx")]
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert model.opset_import[0].version == 13
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    assert given.name == "observation" and given.shape[0] == "batch", given
    names = [output.name for output in session.get_outputs()]
    assert names in (["action", "value"], ["action", "value", "std"])
    assert all(output.shape[0] == "batch" for output in session.get_outputs())
    observations = numpy.fromfile(stem + ".in", numpy.float32).reshape(-1, given.shape[1])
    expected = numpy.fromfile(stem + ".out", numpy.float32).reshape(len(observations), -1)
    outputs = session.run(None, {"observation": observations})
    found = numpy.concatenate(outputs, axis=1)
    actions = outputs[0].shape[1]
    off = numpy.abs(found - expected)
    action = off[:, :actions].max()
    value = (off[:, actions:] / (1 + numpy.abs(expected[:, actions:]))).max(axis=1)
    # where two critics are as good as equal, either may be taken
    print(f"{model.metadata_props[0].value}: {len(observations)} observations, actions within "
          f"{action:.1e}, values within {numpy.quantile(value, 0.999):.1e}")
    assert action < 1e-5
    assert numpy.quantile(value, 0.999) < 1e-4
