"""kserve_client.py HTTP GRPC PHOTO: calls the gateway with KServe's clients, and prints the answers as JSON."""

import asyncio
import json
import sys

import kserve
import numpy
from kserve.constants.constants import PredictorProtocol
from kserve.inference_client import RESTConfig
from PIL import Image


def files(photo, count):
    tensor = kserve.InferInput("image", [count], "BYTES")
    tensor.set_data_from_numpy(numpy.array([photo] * count, dtype=object), binary_data=True)
    return kserve.InferRequest(model_name="faces", infer_inputs=[tensor])


def pixels(path):
    values = numpy.asarray(Image.open(path).convert("RGB"))
    tensor = kserve.InferInput("pixels", list(values.shape), "UINT8")
    tensor.set_data_from_numpy(values, binary_data=True)
    return kserve.InferRequest(model_name="faces", infer_inputs=[tensor])


def told(response):
    return {output.name: output.as_numpy().tolist() for output in response.outputs if output.name in ("scores", "counts")}


async def rest(address, path, photo):
    client = kserve.InferenceRESTClient(RESTConfig(protocol=PredictorProtocol.REST_V2))
    base = f"http://{address}"
    return {"live": await client.is_server_live(base), "ready": await client.is_server_ready(base),
            "model": await client.is_model_ready(base, "faces"),
            "one": told(await client.infer(base, files(photo, 1), model_name="faces")),
            "batch": told(await client.infer(base, files(photo, 2), model_name="faces")),
            "pixels": told(await client.infer(base, pixels(path), model_name="faces"))}


async def grpc(address, path, photo):
    client = kserve.InferenceGRPCClient(address)
    return {"live": await client.is_server_live(), "ready": await client.is_server_ready(),
            "model": await client.is_model_ready("faces"), "one": told(await client.infer(files(photo, 1))),
            "batch": told(await client.infer(files(photo, 2))), "pixels": told(await client.infer(pixels(path)))}


async def main(http_address, grpc_address, path):
    with open(path, "rb") as file:
        photo = file.read()
    print(json.dumps({"rest": await rest(http_address, path, photo), "grpc": await grpc(grpc_address, path, photo)}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
