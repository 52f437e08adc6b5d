"""What a core of this machine takes to prepare an image, as torchvision's training scripts do: decode a JPEG, resize a
random crop to 224x224, flip it, make normalised floats of it. The rates of data/hosts are its output.

    python3 bench/host_rates.py
"""

import io
import platform
import time

import numpy
from PIL import Image

# ImageNet's images: 1,281,167 of 146 GB, at about 500x375.
WIDTH, HEIGHT, BYTES = 500, 375, 114_000
CROP = 224
MEAN = numpy.array([0.485, 0.456, 0.406], numpy.float32)
DEVIATION = numpy.array([0.229, 0.224, 0.225], numpy.float32)


def picture(roughness):
    """Noise at every scale, more of the finest as it is rougher."""
    random = numpy.random.default_rng(1)
    total = numpy.zeros((HEIGHT, WIDTH, 3))
    for cell in (1, 2, 4, 8, 16, 32, 64, 128):
        noise = random.normal(0, cell ** (1 - roughness), (-(-HEIGHT // cell), -(-WIDTH // cell), 3))
        total += numpy.kron(noise, numpy.ones((cell, cell, 1)))[:HEIGHT, :WIDTH]
    return Image.fromarray((128 + total * (50 / total.std())).clip(0, 255).astype(numpy.uint8))


def jpeg():
    """As many bytes as ImageNet's images have: decoding takes time by pixel and by byte."""
    for step in range(20):
        data = io.BytesIO()
        picture(step / 10).save(data, "JPEG", quality=90)
        if data.tell() >= BYTES:
            break
    return data.getvalue()


def seconds(work, least=2.0):
    work()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < least:
        work()
        count += 1
    return (time.perf_counter() - start) / count


def main():
    data = jpeg()

    def decode():
        return Image.open(io.BytesIO(data)).convert("RGB")

    image = decode()

    def augment():
        crop = image.resize((CROP, CROP), Image.BILINEAR, box=(20, 20, 320, 320)).transpose(Image.FLIP_LEFT_RIGHT)
        values = (numpy.asarray(crop, numpy.float32) / 255 - MEAN) / DEVIATION
        return numpy.ascontiguousarray(values.transpose(2, 0, 1))

    decoding, augmenting = seconds(decode), seconds(augment)
    print(f"{platform.machine()}, Pillow {Image.__version__}, {WIDTH}x{HEIGHT} of {len(data)} bytes")
    print(f"decode   {decoding * 1e3:6.3f} ms   {decoding / (WIDTH * HEIGHT) * 1e9:6.2f} ns a pixel")
    print(f"augment  {augmenting * 1e3:6.3f} ms   {augmenting / CROP ** 2 * 1e9:6.2f} ns a pixel of the crop")
    print(f"together {1 / (decoding + augmenting):6.0f} images/s a core")


if __name__ == "__main__":
    main()
