#!/usr/bin/env python3
"""Draws what is measured of the faces of a photo, with matplotlib. Each part marked %% is a cell of a notebook.

report.py PHOTO [OUTPUT.png]
"""

# %% Find the faces
import sys

import faceengine
import matplotlib
import numpy as np

photo = sys.argv[1]
output = sys.argv[2] if len(sys.argv) > 2 else None
if output:
    matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

engine = faceengine.load()
faces = engine.detect(photo, landmarks=True, pose=True, expressions=True)
print(f"{photo}: {len(faces)} faces in {faces.width} x {faces.height} pixels")
# a face that is tiny, covered or turned away may have none
measured = [face for face in faces if face.landmarks is not None]

# %% Mark them on the picture, which the library makes upright
picture = faceengine.draw.Picture(photo).array()
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 6))
left.imshow(picture)
for face in faces:
    left.add_patch(plt.Rectangle(face.box[:2], face.box.width, face.box.height, fill=False, color="lime", linewidth=2))
for face in measured:
    left.scatter(face.landmarks[:, 0], face.landmarks[:, 1], s=1, color="cyan")
    for region in ("left_eye", "right_eye", "outer_lips"):
        outline = face.region(region)
        left.fill(outline[:, 0], outline[:, 1], fill=False, color="yellow")
    left.text(face.box.x, face.box.y - 8, f"yaw {face.pose.yaw:.0f}°, pitch {face.pose.pitch:.0f}°", color="white")
left.set_axis_off()

# %% The strongest expressions of the first face
if measured:
    names, values = np.array(faceengine.expression_names()), measured[0].expressions
    strongest = np.argsort(values)[-12:]
    right.barh(names[strongest], values[strongest])
    right.set_xlim(0, 1)
    print("strongest:", ", ".join(names[strongest][:-4:-1]))

# %% Show it
figure.tight_layout()
if output:
    figure.savefig(output)
else:
    plt.show()
