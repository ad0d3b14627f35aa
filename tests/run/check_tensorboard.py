"""What TensorBoard's own reader makes of the events of a run, against its progress.csv."""
import csv
import io
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

folder, whole = sys.argv[1], len(sys.argv) > 2
reader = EventAccumulator(folder, size_guidance={"scalars": 0, "images": 0, "histograms": 0})
reader.Reload()
tags = reader.Tags()

with open(folder + "/progress.csv") as file:
    rows = list(csv.DictReader(file))


def single(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]


seen = 0
for name in rows[0]:
    if name == "epoch":
        continue
    expected = [(int(row["epoch"]), single(row[name])) for row in rows if row[name] != ""]
    found = [(event.step, event.value) for event in reader.Scalars(name)] if expected else []
    assert [step for step, _ in found] == [step for step, _ in expected], name
    for (_, a), (_, b) in zip(found, expected):
        # the table has thousandths of seconds
        assert abs(a - b) <= 1e-6 * max(1, abs(b)) + (5e-4 if name == "seconds" else 0), (name, a, b)
    times = [event.wall_time for event in reader.Scalars(name)] if expected else []
    assert times == sorted(times), name
    seen += len(found)

if whole:
    count = len(rows)
    assert {"map/visits", "map/sigma"} <= set(tags["images"]), tags
    for tag in "map/visits", "map/sigma":
        images = reader.Images(tag)
        assert [image.step for image in images] == list(range(count)), tag
        assert all(image.width == image.height == 20 for image in images)
        assert all(image.encoded_image_string[:8] == b"\x89PNG\r\n\x1a\n" for image in images)
    bars = reader.Histograms("sigma")
    assert len(bars) == count
    assert all(sum(bar.histogram_value.bucket) == bar.histogram_value.num == 400 for bar in bars)
    for tag in "loss_mean", "loss_std", "objective_behaviour", "objective_target", "alpha_target":
        assert len(reader.Scalars(tag)) >= count - 1, tag
    try:
        from PIL import Image
        Image.open(io.BytesIO(reader.Images("map/sigma")[0].encoded_image_string)).load()
    except ImportError:
        pass
print(f"{seen} scalars of {len(rows)} rows")
