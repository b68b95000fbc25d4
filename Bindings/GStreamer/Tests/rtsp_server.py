#!/usr/bin/env python3
"""rtsp_server.py PHOTO FRAMES: a network camera at rtsp://127.0.0.1:8554/camera that shows a photo for so many frames to each
client. Prints a line when it listens."""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(
    f"( filesrc location={sys.argv[1]} ! jpegdec ! imagefreeze is-live=true num-buffers={sys.argv[2]} ! videoconvert ! "
    "videoscale ! video/x-raw,format=I420,width=640,height=480,framerate=10/1 ! jpegenc ! rtpjpegpay name=pay0 pt=26 )"
)
server.get_mount_points().add_factory("/camera", factory)
if server.attach(None) == 0:
    sys.exit("rtsp_server: port 8554 is taken")
print("listens", flush=True)
GLib.MainLoop().run()
