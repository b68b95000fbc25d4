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
   * may run on. There are never more than such cores, since two processors of one core gain nothing. A plug-in may use
   * fewer: ncnn uses one.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions threadsPerFrame(int value) {
    return withCount("threadsPerFrame", value, 4);
  }

  /**
   * Default 0, unbounded: the most pixels that a network may take as its input; a larger image fails with
   * Status.RESOURCE_EXHAUSTED. See Engine.detect for the memory that a pixel takes.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions maxInputPixels(long value) {
    return with("maxInputPixels", value, 8);
  }

  /**
   * Default Precision.BEST. What is found may differ a little: Models/README.md says how much. In eight bits, every
   * processor computes the same.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions precision(Precision value) {
    return with("precision", value, 16);
  }

  /**
   * Default false. true: picture files are decoded in a process of their own, which is killed when its call ends
   * early, whatever the library for that kind is doing; a fault in such a library ends that process alone. Set it if
   * you take HEIC or AVIF files of strangers: a small one can keep libheif busy for minutes, or crash it. Its program
   * is face-engine, which is looked for beside this library, in the bin folder of its prefix, and in PATH. Loading
   * fails with Status.NOT_FOUND without it, and with Status.UNAVAILABLE if it does not start within ten seconds. Two
   * more processes of some MB. The program is started again when it has ended or does not answer. After fork(2) the
   * child has to load again before it can use files.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions decoderProcess(boolean value) {
    return with("decoderProcess", value, 20);
  }

  /**
   * Default null or "", which is "automatic": the library's own kernels run the networks of the detectors that are
   * given, and the plug-in ncnn those with other layers. "kernels": they alone. "ncnn", "onnxruntime" (.onnx files
   * alone) or another plug-in's name: it does, in floats; options of the plug-in follow a colon, as in
   * "onnxruntime:CUDA". Loading fails with Status.FAILED_PRECONDITION if the plug-in is not installed.
   * docs/plug-ins.md says more.
   *
   * @param value The new value.
   * @return the copy
   */
  public LoadOptions engine(String value) {
    return withText("engine", value);
  }
}
