"""Photos of faces made worse on purpose, with the labels they had: what landmarks.py --conditions measures with.

Everything is drawn from a seeded generator, so that the same photos give the same pictures. A picture is one face with its
surroundings; sizes are relative to the distance between the outer corners of the eyes.
"""

import cv2
import numpy as np

CONDITIONS = ("clean", "small", "dark", "blurred", "mask", "hand at the mouth", "eyes covered", "half covered", "compressed")
MIN_EYES = 90  # pixels between the eyes at which covers are drawn; smaller faces are enlarged for that and reduced again
SURROUNDINGS = 1.2  # of the face's longer side, at each side


def cut(image, labels):
    """The face with its surroundings, and its labels there; labels are the middles of pixels."""
    low, high = labels.min(0), labels.max(0)
    margin = SURROUNDINGS * (high - low).max()
    left, top = np.maximum(0, low - margin).astype(int)
    right, bottom = np.minimum(image.shape[1::-1], np.ceil(high + margin)).astype(int)
    return image[top:bottom, left:right].copy(), labels - (left, top)


def eyes_of(labels):
    return np.linalg.norm(labels[45] - labels[36])


def degraded(image, labels, condition, random):
    """The picture in that condition and its labels, which move only if its size does."""
    image, labels = cut(image, labels)
    if condition == "clean":
        return image, labels
    if condition == "small":
        # Detectors' boxes are about 1.25 times as high as the labels.
        factor = random.uniform(36, 46) / (1.25 * (labels[:, 1].max() - labels[:, 1].min()))
        return (image, labels) if factor > 0.95 else resized(image, labels, factor)
    if condition == "dark":
        return dark(image, random), labels
    if condition == "blurred":
        return blurred(image, eyes_of(labels), random), labels
    if condition == "compressed":
        quality = int(random.uniform(6, 22))
        return cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR), labels
    factor = max(1, MIN_EYES / eyes_of(labels))
    size = image.shape[1::-1]
    large, points = resized(image, labels, factor)
    {"mask": mask, "hand at the mouth": hand_at_mouth, "eyes covered": eyes_covered, "half covered": half_covered}[condition](
        large, points, random)
    return (large if factor == 1 else cv2.resize(large, size, interpolation=cv2.INTER_AREA)), labels


def resized(image, labels, factor):
    size = np.maximum(1, np.round(np.array(image.shape[1::-1]) * factor)).astype(int)
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return cv2.resize(image, tuple(int(side) for side in size), interpolation=how), labels * (size / image.shape[1::-1])


def dark(image, random):
    """A short exposure at a high gain: the light that is left, photon noise and the sensor's own."""
    photons = image / 255.0 * random.uniform(8, 60)  # of a white pixel
    signal = random.poisson(photons) + random.normal(0, random.uniform(0.5, 2.5), image.shape)
    return np.clip(signal * random.uniform(1, 3), 0, 255).astype(np.uint8)


def blurred(image, eyes, random):
    if random.random() < 0.6:
        return cv2.GaussianBlur(image, (0, 0), eyes * random.uniform(0.03, 0.17), borderType=cv2.BORDER_REPLICATE)
    # The camera or the head moves on a straight line.
    length, angle = eyes * random.uniform(0.1, 0.5), random.uniform(0, np.pi)
    side = 2 * int(np.ceil(length / 2)) + 3
    kernel, steps = np.zeros((side, side), np.float32), np.linspace(-0.5, 0.5, 64) * length
    middle = (side - 1) / 2
    for step in steps:
        x, y = middle + step * np.cos(angle), middle + step * np.sin(angle)
        left, top = int(x), int(y)
        for column, across in ((left, 1 - x + left), (left + 1, x - left)):
            for row, down in ((top, 1 - y + top), (top + 1, y - top)):
                kernel[row, column] += across * down
    return cv2.filter2D(image, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)


def paint(image, outline, colour, random, shade=None, soft=1.5):
    """Fills an outline with a lit surface: a colour, broad and fine texture, and light that changes across it."""
    cover = np.zeros(image.shape[:2], np.float32)
    cv2.fillPoly(cover, [np.round(np.asarray(outline) * 16).astype(np.int32)], 1, cv2.LINE_AA, shift=4)
    fill(image, cover, colour, random, shade, soft)


def fill(image, cover, colour, random, shade=None, soft=1.5):
    height, width = cover.shape
    broad = cv2.resize(random.normal(0, 1, (6, 6)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    fine = cv2.GaussianBlur(random.normal(0, 1, cover.shape).astype(np.float32), (0, 0), 1.2)
    light = 1 + 0.06 * broad + 0.05 * fine
    # Surfaces turn away from the camera at their edges.
    inside = cv2.distanceTransform((cover > 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    light *= 0.72 + 0.28 * np.minimum(1, inside / max(1.0, 0.75 * inside.max()))
    if shade is not None:
        light *= shade
    surface = np.asarray(colour, np.float32)[None, None] * light[..., None]
    # A shadow around it, then the surface.
    shadow = cv2.GaussianBlur(cover, (0, 0), 4)[..., None] * 0.3
    alpha = cv2.GaussianBlur(cover, (0, 0), soft)[..., None]
    result = image * (1 - shadow * (1 - alpha)) * (1 - alpha) + np.clip(surface, 0, 255) * alpha
    image[:] = np.clip(result, 0, 255).astype(np.uint8)


def frame(points):
    """Unit vectors to the subject's left (the picture's right) and down the face, and the distance of the eyes."""
    across = points[45] - points[36]
    eyes = np.linalg.norm(across)
    across = across / eyes
    return across, np.array([-across[1], across[0]]), eyes


def curve(points):
    """A closed outline with rounded corners."""
    points = np.asarray(points, float)
    for _ in range(3):  # Chaikin
        after = np.roll(points, -1, 0)
        points = np.stack([0.75 * points + 0.25 * after, 0.25 * points + 0.75 * after], 1).reshape(-1, 2)
    return points


def mask(image, points, random):
    """A medical or cloth mask from the ridge of the nose to below the chin, with folds and straps."""
    across, down, eyes = frame(points)
    colours = [(200, 170, 120), (225, 225, 225), (40, 40, 40), (170, 185, 200), (150, 110, 160), (110, 130, 90), (60, 50, 110)]
    colour = np.array(colours[random.integers(len(colours))]) * random.uniform(0.75, 1.05)
    light = image[np.clip(points[:, 1].astype(int), 0, image.shape[0] - 1), np.clip(points[:, 0].astype(int), 0,
                                                                                   image.shape[1] - 1)].mean()
    colour = np.clip(colour * np.clip(light / 130, 0.45, 1.25), 5, 250)
    top = points[28] * (1 - (high := random.uniform(0, 1))) + points[29] * high
    jaw = points[3:14] + down * eyes * random.uniform(0.02, 0.12) + random.normal(0, 0.01 * eyes, 2)
    sides = [points[1] * 0.5 + points[2] * 0.5 + across * 0.04 * eyes, points[15] * 0.5 + points[14] * 0.5 - across * 0.04 * eyes]
    cheeks = [points[41] + down * 0.28 * eyes, points[46] + down * 0.28 * eyes]
    outline = curve([sides[0], *jaw, sides[1], cheeks[1], top, cheeks[0]])
    ears = [points[0] - across * 0.02 * eyes, points[16] + across * 0.02 * eyes]
    strap = tuple(int(value) for value in np.clip(colour * 0.95, 0, 255))
    for side, ear in zip(sides, ears):
        cv2.line(image, tuple(np.round(side).astype(int).tolist()), tuple(np.round(ear).astype(int).tolist()), strap,
                 max(1, int(eyes * 0.03)), cv2.LINE_AA)
    y, x = np.mgrid[:image.shape[0], :image.shape[1]].astype(np.float32)
    along = (x - points[33][0]) * down[0] + (y - points[33][1]) * down[1]
    sideways = (x - points[33][0]) * across[0] + (y - points[33][1]) * across[1]
    folds = random.integers(0, 4)
    shade = 1 + (0.10 * np.sin(along / eyes * 2 * np.pi * folds * 1.6) if folds else 0)
    shade = shade * (1 - 0.25 * np.minimum(1, np.abs(sideways) / eyes) ** 2)  # it is round like the face
    paint(image, outline, colour, random, shade.astype(np.float32))


def skin(image, points, random):
    """The colour of the cheeks, of a hand that may be lit a little differently."""
    spots = [(points[1] + points[31]) / 2, (points[15] + points[35]) / 2, (points[41] + points[48]) / 2,
             (points[46] + points[54]) / 2]
    height, width = image.shape[:2]
    around = [image[max(0, int(y) - 4):int(y) + 5, max(0, int(x) - 4):int(x) + 5].reshape(-1, 3) for x, y in spots
              if 0 <= x < width and 0 <= y < height]
    colour = np.median(np.concatenate(around), 0) if around else np.array([120, 140, 180])
    return np.clip(colour * random.uniform(0.8, 1.15) * random.uniform(0.96, 1.04, 3), 5, 250)


def capsule(start, end, radius, taper=0.85):
    direction = (end - start) / max(1e-6, np.linalg.norm(end - start))
    angle = np.arctan2(direction[1], direction[0])
    tip = [end + taper * radius * np.array([np.cos(angle + a), np.sin(angle + a)]) for a in np.linspace(-np.pi / 2, np.pi / 2, 12)]
    root = [start + radius * np.array([np.cos(angle + a), np.sin(angle + a)]) for a in np.linspace(np.pi / 2, 1.5 * np.pi, 12)]
    return np.array(tip + root)


def hand(image, points, random, middle, direction, size):
    """Four fingers side by side and a palm behind them; `middle` is that of the fingers, which point in `direction`."""
    eyes = eyes_of(points)
    colour = skin(image, points, random)
    direction = direction / np.linalg.norm(direction)
    beside = np.array([-direction[1], direction[0]])
    width = size * eyes / 4  # of a finger
    knuckles, wrist = middle - direction * eyes * size * 0.3, middle - direction * eyes * size * 2.6
    palm = [knuckles + beside * 2.1 * width, knuckles - beside * 2.1 * width,
            wrist - beside * 1.7 * width, wrist + beside * 1.7 * width]
    paint(image, curve(palm), colour * 0.97, random)
    spread = random.uniform(0.92, 1.15)
    for number in (0, 3, 1, 2):
        aside = beside * (number - 1.5) * width * spread
        length = eyes * size * (0.62, 0.78, 0.74, 0.55)[number] * random.uniform(0.9, 1.1)
        start = middle + aside - direction * eyes * size * 0.45
        end = middle + aside * random.uniform(1, 1.12) + direction * length * 0.6
        paint(image, capsule(start, end, width * 0.52), colour * random.uniform(0.96, 1.04), random)
        nail = capsule(end - direction * 0.1 * width, end + direction * 0.12 * width, width * 0.26)
        if random.random() < 0.6:
            paint(image, nail, np.clip(colour * (1.06, 1.03, 1.08), 0, 255), random, soft=1)


def hand_at_mouth(image, points, random):
    across, down, eyes = frame(points)
    side = random.choice([-1, 1])
    mouth = points[48:68].mean(0) + across * random.normal(0, 0.1) * eyes + down * random.normal(0.05, 0.08) * eyes
    direction = -side * across * random.uniform(0.5, 1) - down * random.uniform(-0.1, 0.9)
    hand(image, points, random, mouth, direction, random.uniform(0.75, 1.1))


def half_covered(image, points, random):
    across, down, eyes = frame(points)
    side = random.choice([-1, 1])
    middle = points[30] + side * across * eyes * random.uniform(0.28, 0.5) + down * random.normal(-0.1, 0.15) * eyes
    direction = -down + across * random.normal(0, 0.35)
    hand(image, points, random, middle, direction, random.uniform(0.9, 1.2))


def eyes_covered(image, points, random):
    """Sunglasses, or a hand."""
    across, down, eyes = frame(points)

    def line(start, end, width):
        start, end = (tuple(np.round(place).astype(int).tolist()) for place in (start, end))
        cv2.line(image, start, end, tuple(tint.tolist()), max(1, int(eyes * width)), cv2.LINE_AA)

    centres = [points[36:42].mean(0), points[42:48].mean(0)]
    if random.random() < 0.35:
        side = random.choice([-1, 1])
        direction = side * across + down * random.normal(0, 0.3)
        middle = np.mean(centres, 0) + down * random.normal(0, 0.05) * eyes
        return hand(image, points, random, middle, direction, random.uniform(0.8, 1.1))
    tint = np.array([random.uniform(5, 50)] * 3) * random.uniform(0.8, 1.2, 3)
    wide, high = eyes * random.uniform(0.24, 0.31), eyes * random.uniform(0.18, 0.28)
    outer = [points[0] - down * 0.1 * eyes, points[16] - down * 0.1 * eyes]
    for centre, ear in zip(centres, outer):
        line(centre, ear, 0.035)
    line(centres[0], centres[1], 0.05)
    for centre in centres:
        corners = [centre + down * high * 0.15 + across * wide * x + down * high * y
                   for x, y in ((-1, -0.9), (1, -0.9), (0.95, 0.5), (0.4, 1), (-0.4, 1), (-0.95, 0.5))]
        paint(image, curve(corners), tint, random, soft=1)
        if random.random() < 0.5:  # a reflection
            spot = centre + across * random.normal(0, 0.4) * wide - down * high * random.uniform(0, 0.5)
            paint(image, capsule(spot, spot + across * wide * 0.3, wide * 0.1), (170, 170, 160), random, soft=4)
