// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * How models run in this process. Immutable: each method returns a copy with one option changed. Options that are not
 * set have the defaults.
 */
@CheckReturnValue
public final class LoadOptions extends Options<LoadOptions> {
  /** The defaults. */
  public LoadOptions() {
    super(0, 32);
  }

  /**
   * 1 to 16, default 1: how many threads share the rows of one image; 0: one for each processor core that the process
   * may run on. The library uses no more threads than cores, since two threads on one core are not faster than one. A
   * plug-in may use fewer: ncnn uses one.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions threadsPerFrame(int value) {
    return withCount("threadsPerFrame", value, 4);
  }

  /**
   * Default 0, no limit: the most pixels that a network may take as its input. A larger image fails with
   * Status.RESOURCE_EXHAUSTED. For each of these pixels YuNet needs about 15 bytes of memory, CenterFace in accuracy
   * high about 53, and a network that a plug-in runs 110 or more.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions maxInputPixels(long value) {
    return with("maxInputPixels", value, 8);
  }

  /**
   * Default Precision.BEST. Eight bits and floats may find slightly different faces: Models/README.md says how
   * different. In eight bits, every processor computes the same numbers.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions precision(Precision value) {
    return with("precision", value, 16);
  }

  /**
   * Default false. true: picture files are decoded in a process of their own. That process is killed if its call ends
   * early, whatever the decoder is doing, and a crash of the decoder ends only that process. Set it for untrusted HEIC
   * or AVIF files: a small file can keep libheif busy for minutes, or crash it. The process runs the program
   * face-engine, which the library looks for beside itself, in the bin folder of its prefix, and in PATH. Loading
   * fails with Status.NOT_FOUND without that program, and with Status.UNAVAILABLE if it does not start within ten
   * seconds. This option adds two processes of a few MB each. The library starts the program again if it has ended or
   * does not answer. After fork(2) the child must load again before it can use files.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions decoderProcess(boolean value) {
    return with("decoderProcess", value, 20);
  }

  /**
   * Default null or "", which is "automatic": the library's own kernels run the networks of the included detectors,
   * and the plug-in ncnn runs networks with other layers. "kernels": only the kernels. "ncnn", "onnxruntime" (only
   * .onnx files) or another plug-in's name: that plug-in runs the networks, in 32-bit floats; its own options follow a
   * colon, as in "onnxruntime:CUDA". Loading fails with Status.FAILED_PRECONDITION if the plug-in is not installed.
   * See docs/plug-ins.md.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions engine(String value) {
    return withText("engine", value);
  }
}
