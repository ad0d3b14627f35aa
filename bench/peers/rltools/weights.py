"""The policy of a safetensors export as bare numbers: of each layer weights, then biases."""
import json
import struct
import sys

data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + size])
for layer in ("hidden0", "hidden1", "mean"):
    for part in ("weight", "bias"):
        first, last = header[f"policy/{layer}/{part}"]["data_offsets"]
        sys.stdout.buffer.write(data[8 + size + first : 8 + size + last])
