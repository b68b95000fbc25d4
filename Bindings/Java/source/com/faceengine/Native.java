package com.faceengine;

import java.lang.module.ModuleDescriptor.Version;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The functions of libfaceengine-jni, which is beside the jar's sources in native. Handles are numbers of the library,
 * which uses none twice and refuses those that were released. Failures are a FaceEngineException.
 */
final class Native {
  private static final String LIBRARY = "faceengine-jni";
  private static final String INSTALL =
      ": install the package libfaceengine-java, or set FACE_ENGINE_LIBRARIES to the folder with ";

  /** Bytes: enough for one face with all outputs. */
  private static final int MEMORY_SIZE = 16 << 10;

  private static final ThreadLocal<ByteBuffer> MEMORY =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(MEMORY_SIZE).order(ByteOrder.nativeOrder()));

  static {
    load(System.mapLibraryName(LIBRARY));
    warnOfOlderLibrary(string(version()), string(packageVersion()));
  }

  private Native() {}

  /** From the folder that FACE_ENGINE_LIBRARIES names, else from where it was installed with the jar, else by Java's
     library path. */
  private static void load(String name) {
    String folder = System.getenv("FACE_ENGINE_LIBRARIES");
    if (folder != null && !folder.isEmpty()) {
      System.load(Path.of(folder, name).toAbsolutePath().toString());
      return;
    }
    Path installed = besideJar(name);
    if (installed != null) {
      System.load(installed.toString());
      return;
    }
    try {
      System.loadLibrary(LIBRARY);
    } catch (UnsatisfiedLinkError error) {
      UnsatisfiedLinkError better = new UnsatisfiedLinkError(error.getMessage() + INSTALL + name);
      better.initCause(error);
      throw better;
    }
  }

  private static void warnOfOlderLibrary(String library, String own) {
    if (Version.parse(library).compareTo(Version.parse(own)) < 0) {
      System.getLogger("com.faceengine")
          .log(System.Logger.Level.WARNING,
              "libfaceengine is version {0}, this package {1}: options that the library lacks are refused; "
                  + "install the same version of both",
              library, own);
    }
  }

  /** The library in the jar's folder, or in that for JNI of the prefix with share/java; null if there is none. */
  private static Path besideJar(String name) {
    try {
      Path folder = Path.of(Native.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                        .toAbsolutePath()
                        .getParent();
      String triplet = (System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64") + "-linux-gnu";
      for (String place : new String[] {".", "../../lib/" + triplet + "/jni", "../../lib/jni"}) {
        Path library = folder.resolve(place).resolve(name).normalize();
        if (Files.exists(library)) {
          return library;
        }
      }
    } catch (URISyntaxException | RuntimeException isNoFile) { // as in an application that has its own class loader
      return null;
    }
    return null;
  }

  /** A text as C reads it. */
  static byte[] text(String text) {
    if (text.indexOf('\0') >= 0) {
      throw FaceEngineException.wrong(
          "the text \"" + text.replace('\0', '?') + "\" has a NUL character; give one without it");
    }
    return (text + "\0").getBytes(StandardCharsets.UTF_8);
  }

  static String string(byte[] text) {
    return text == null ? null : new String(text, StandardCharsets.UTF_8);
  }

  /** Memory of the calling thread, for one call. */
  static ByteBuffer memory() {
    return MEMORY.get().clear();
  }

  static ByteBuffer reader(byte[] packed) {
    return ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder());
  }

  static native byte[] version();

  /** Of libfaceengine-jni: an application's jar may contain these classes under another version. */
  static native byte[] packageVersion();

  static native void initialise(int kind, byte[] struct);

  static native int[] regionPoints(int region);

  static native int[] contourPoints(int contour);

  static native boolean isClosed(int contour);

  static native int[] meshEdges();

  static native int[] meshTriangles();

  /** Sets the members of a struct of check options that a preset names. */
  static native void applyPreset(byte[] check, int preset);

  static native int orientationOfCamera(int sensor, int device, boolean facesUser);

  static native long load(byte[][] models, byte[] options, byte[] engine);

  static native long connect(byte[] socket, byte[] options);

  static native void release(long engine);

  static native long createCanceller();

  static native void cancel(long canceller);

  static native void destroyCanceller(long canceller);

  /**
   * The faces, packed: in `memory`, a direct buffer of `size` bytes, which has the structs of the options and of the
   * image before; or in an array if they are larger. Each plane is a direct buffer or an array, and begins at the
   * image's offset.
   */
  static native byte[] detect(long engine, ByteBuffer memory, int size, Object[] planes, byte[] model, float[] boxes);

  /** For each image its status, then the faces, or the message of the failure. */
  static native byte[] detectBatch(
      long engine, byte[][] images, Object[][] planes, byte[] options, byte[] model, float[] boxes);

  /** Converts a point of two numbers, a circle of three, or a box of four, to a space, or back. */
  static native void convert(byte[] space, int width, int height, boolean back, float[] numbers);

  /** Opens a session, or with `check` a guided check; writes its handle and its reference to the dispatcher to
     `opened`. */
  static native void openSession(long engine, byte[] session, byte[] options, byte[] model, byte[] check, byte[] space,
      Dispatcher dispatcher, long[] opened);

  static native long submit(long session, byte[] image, Object[] planes);

  static native void flush(long session, long nanoseconds);

  static native long follow(long session, float x, float y, float width, float height);

  static native void best(long session, long id);

  static native void restart(long session);

  static native void closeSession(long session, long known);

  /** Checks a photo, with the events on this thread; the number of the tip. */
  static native int checkImage(long engine, byte[] image, Object[] planes, byte[] options, byte[] model, byte[] check,
      byte[] space, Dispatcher dispatcher);

  /** Called by the library with a packed event. */
  private static void deliver(Dispatcher dispatcher, byte[] event) {
    dispatcher.deliver(reader(event));
  }
}
