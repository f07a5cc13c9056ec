"""What the simulated camera sees: a room that slides by as the head turns."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from soul.mock_body.device import Device

SIZE = (320, 240)
#: Horizontal field of view, 0.1 degree.
FIELD = 600.0

_BRIGHT = 200.0  # lux at which nothing is dim any more
#: Things in the room: name, direction (0.1 degree left, up), half size in pixels, colour.
_THINGS = (
    ('window', 500.0, 550.0, 46, (150, 200, 240)),
    ('door', -600.0, 450.0, 60, (140, 90, 50)),
    ('plant', 150.0, 380.0, 24, (50, 140, 60)),
    ('lamp', -200.0, 700.0, 20, (250, 220, 120)),
    ('desk', 0.0, 250.0, 70, (160, 120, 80)),
)


def draw(device: Device, quality: int) -> bytes:
    """Draw what the head points at now; `quality` 1..100. Returns a JPEG of 320 x 240."""
    light = 0.05 + 0.95 * min(1.0, device.lux / _BRIGHT)

    def lit(colour: tuple[int, int, int]) -> tuple[int, int, int]:
        red, green, blue = colour
        return round(red * light), round(green * light), round(blue * light)

    image = Image.new('RGB', SIZE, lit((225, 215, 200)))
    canvas = ImageDraw.Draw(image)
    scale = SIZE[0] / FIELD
    floor = SIZE[1] / 2 + (device.pitch.reading - 200.0) * scale
    if floor < SIZE[1]:
        canvas.rectangle((0, max(0.0, floor), *SIZE), fill=lit((120, 100, 85)))
    for name, left, up, half, colour in _THINGS:
        x = SIZE[0] / 2 - (left - device.yaw.reading) * scale
        y = SIZE[1] / 2 - (up - device.pitch.reading) * scale
        if -half < x < SIZE[0] + half and -half < y < SIZE[1] + half:
            canvas.rectangle((x - half, y - half, x + half, y + half), fill=lit(colour))
            canvas.text((x - half + 3, y - half + 3), name, fill=lit((20, 20, 20)))
    out = io.BytesIO()
    image.save(out, 'JPEG', quality=quality)
    return out.getvalue()
