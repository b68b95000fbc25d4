#!/usr/bin/env python3
"""A kiosk in GTK 4: the guided check of the element faceenginecheck, its tips, and the picture at the end.

    kiosk.py [--source 'LINE OF ELEMENTS'] [--actions blink,smile] [--set PROPERTY=VALUE]... [--save picture.png]

Needs gir1.2-gtk-4.0, python3-gi-cairo, gir1.2-gst-plugins-base-1.0 and gstreamer1.0-faceengine. The preview is a mirror; the picture
is not. Return accepts it and ends, space begins anew, escape ends."""

import argparse
import math
import sys
import gi

gi.require_version("Gst", "1.0")
gi.require_version("Gdk", "4.0")
gi.require_version("GstVideo", "1.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GLib, Gst, GstVideo, Gtk  # noqa: E402

# Ring of a state: red, green, blue.
COLOURS = {"waiting": (1, 1, 1), "start": (0.4, 0.7, 1), "checking": (0.4, 0.7, 1), "finish": (0.3, 0.9, 0.4)}
STYLE = b"window { background: black; } label { color: white; font-size: 40px; font-weight: bold; text-shadow: 0 0 8px black; }"


def texture(sample, form):
    """A frame as GTK shows it."""
    buffer, info = sample.get_buffer(), GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    pixels = buffer.extract_dup(0, buffer.get_size())
    return Gdk.MemoryTexture.new(info.width, info.height, form, GLib.Bytes.new(pixels), len(pixels) // info.height)


class Kiosk(Gtk.ApplicationWindow):
    def __init__(self, application, options):
        super().__init__(application=application, title="FaceEngine", default_width=800, default_height=600)
        self.options, self.said, self.taken = options, None, None
        self.preview, self.ring = Gtk.Picture(hexpand=True, vexpand=True), Gtk.DrawingArea()
        self.tip = Gtk.Label(valign=Gtk.Align.END, margin_bottom=24, wrap=True, justify=Gtk.Justification.CENTER)
        layers = Gtk.Overlay(child=self.preview)
        layers.add_overlay(self.ring)
        layers.add_overlay(self.tip)
        self.set_child(layers)
        self.ring.set_draw_func(self.draw_ring)
        keys = Gtk.EventControllerKey()
        keys.connect("key-pressed", self.on_key)
        self.add_controller(keys)
        self.connect("close-request", self.on_close)
        self.pipeline = Gst.parse_launch(
            f"{options.source} ! videoconvert ! faceenginecheck name=check mirrored=true {' '.join(options.set)} ! "
            "videoconvert ! videoflip video-direction=horiz ! video/x-raw,format=RGB ! "
            "appsink name=frames max-buffers=1 drop=true emit-signals=true")
        self.check = self.pipeline.get_by_name("check")
        self.check.set_property("actions", options.actions)
        self.pipeline.get_by_name("frames").connect("new-sample", self.on_frame)
        self.pipeline.get_bus().add_signal_watch()
        self.pipeline.get_bus().connect("message", self.on_message)
        self.pipeline.set_state(Gst.State.PLAYING)

    def on_frame(self, sink):
        """On GStreamer's thread."""
        GLib.idle_add(self.show_frame, sink.emit("pull-sample"))
        return Gst.FlowReturn.OK

    def show_frame(self, sample):
        if self.taken is None and sample is not None:
            self.preview.set_paintable(texture(sample, Gdk.MemoryFormat.R8G8B8))

    def on_message(self, _, message):
        if message.type == Gst.MessageType.ERROR:
            print(message.parse_error()[0].message, file=sys.stderr)
            self.close()
        elif message.type == Gst.MessageType.WARNING:
            self.tip.set_text(message.parse_warning()[0].message)
        elif message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name().startswith("check-"):
            self.on_check(message.get_structure())

    def on_check(self, said):
        self.said = said
        kind = said.get_name()
        if kind == "check-result":
            self.taken = texture(said.get_value("picture"), Gdk.MemoryFormat.B8G8R8A8)
            self.preview.set_paintable(self.taken)
            self.tip.set_text("Return: use this picture\nSpace: take another one")
        elif kind == "check-failed":
            self.tip.set_text(f"{said.get_value('message')}\nSpace: try again")
        elif said.get_value("state") in ("waiting", "start", "checking"):
            self.tip.set_text(said.get_value("text"))
        self.ring.queue_draw()

    def draw_ring(self, _, cairo, width, height):
        """The circle on the mirrored preview, dark outside; it fills while the face is right."""
        frame = self.preview.get_paintable()
        if self.said is None or frame is None or self.taken is not None:
            return
        scale = min(width / frame.get_width(), height / frame.get_height())
        x = width / 2 - (self.said.get_value("circle-x") - frame.get_width() / 2) * scale
        y = height / 2 + (self.said.get_value("circle-y") - frame.get_height() / 2) * scale
        radius = self.said.get_value("circle-radius") * scale
        cairo.rectangle(0, 0, width, height)
        cairo.new_sub_path()
        cairo.arc_negative(x, y, radius, 0, -2 * math.pi)
        cairo.set_source_rgba(0, 0, 0, 0.6)
        cairo.fill()
        cairo.set_line_width(6)
        cairo.set_source_rgba(*COLOURS.get(self.said.get_value("state"), (1, 0.6, 0.2)), 0.5)
        cairo.arc(x, y, radius, 0, 2 * math.pi)
        cairo.stroke()
        cairo.set_line_width(12)
        cairo.set_source_rgb(*COLOURS["finish"])
        cairo.arc(x, y, radius, -math.pi / 2, -math.pi / 2 + 2 * math.pi * self.said.get_value("progress"))
        cairo.stroke()

    def on_key(self, _, key, *rest):
        if key == Gdk.KEY_Return and self.taken is not None:
            if self.options.save:
                self.taken.save_to_png(self.options.save)
            self.close()
        elif key == Gdk.KEY_space:
            self.taken = None
            self.check.emit("restart")
        elif key == Gdk.KEY_Escape:
            self.close()
        return key in (Gdk.KEY_Return, Gdk.KEY_space, Gdk.KEY_Escape)

    def on_close(self, _):
        self.pipeline.set_state(Gst.State.NULL)
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default="v4l2src ! decodebin", help="where frames come from (default: %(default)s)")
    parser.add_argument("--actions", default="blink", help="what the person has to do (default: %(default)s)")
    parser.add_argument("--set", default=[], action="append", help="a property of faceenginecheck, as socket=/run/face-engine.sock")
    parser.add_argument("--save", help="the PNG file of a picture that is accepted")
    options = parser.parse_args()
    Gst.init(None)
    application = Gtk.Application()
    application.connect("activate", lambda _: show(Kiosk(application, options)))
    return application.run([])


def show(window):
    style = Gtk.CssProvider()
    style.load_from_data(STYLE)
    Gtk.StyleContext.add_provider_for_display(window.get_display(), style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
    window.present()


if __name__ == "__main__":
    sys.exit(main())
