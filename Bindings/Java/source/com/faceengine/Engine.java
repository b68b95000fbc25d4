package com.faceengine;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Finds faces: with models that are loaded into this process, or through an engine process. Any number of threads may
 * use an engine at once. Calls fail with {@link FaceEngineException}, and with {@link NullPointerException} for an
 * argument that is null.
 */
public final class Engine implements AutoCloseable {
  private final Handle handle;

  private Engine(long engine) {
    handle = new Handle(this, engine, Native::release);
  }

  /**
   * Loads the installed detector, YuNet.
   *
   * @return the engine, which the caller closes
   */
  public static Engine load() {
    return load(new LoadOptions());
  }

  /**
   * Loads a model.
   *
   * @param model the folder of a model, or the name of an installed one, such as "centerface"
   * @return the engine, which the caller closes
   */
  public static Engine load(String model) {
    return load(new LoadOptions(), model);
  }

  /**
   * Loads models.
   *
   * @param options how the models run
   * @param models folders of models, or names of installed ones; a call may choose one by {@link DetectOptions#model},
   * and uses the
   *     first one otherwise. Without any, the installed detector
   * @return the engine, which the caller closes
   */
  public static Engine load(LoadOptions options, String... models) {
    byte[][] names = new byte[Math.max(1, models.length)][];
    for (int place = 0; place < models.length; place++) {
      names[place] = Native.text(Objects.requireNonNull(models[place], "model"));
    }
    return new Engine(Native.load(names, options.struct(), options.text("engine")));
  }

  /**
   * Connects to the engine that runs at the default socket.
   *
   * @return the engine, which the caller closes
   */
  public static Engine connect() {
    return new Engine(Native.connect(null, new ConnectOptions().struct()));
  }

  /**
   * Connects to an engine that runs.
   *
   * @param socket the path of its Unix socket
   * @return the engine, which the caller closes
   */
  public static Engine connect(Path socket) {
    return connect(socket, new ConnectOptions());
  }

  /**
   * Connects to an engine that runs.
   *
   * @param socket the path of its Unix socket
   * @param options how long to wait, and whose engine it may be
   * @return the engine, which the caller closes
   */
  public static Engine connect(Path socket, ConnectOptions options) {
    try {
      return new Engine(Native.connect(Native.text(socket.toString()), options.struct()));
    } finally {
      Reference.reachabilityFence(options);
    }
  }

  /**
   * The version of libfaceengine.
   *
   * @return as in "0.2.0"
   */
  public static String version() {
    return Native.string(Native.version());
  }

  /**
   * Finds the faces of a picture file.
   *
   * @param file the bytes of the file
   * @return its faces, the most confident first
   */
  public Faces detect(byte[] file) {
    return detect(Image.encoded(file));
  }

  /**
   * Finds the faces of pixels.
   *
   * @param pixels the bytes from its position to its limit; a direct buffer is not copied
   * @param format the order of the bytes
   * @param width pixels of a row
   * @param height rows
   * @return the faces, the most confident first
   */
  public Faces detect(ByteBuffer pixels, Format format, int width, int height) {
    return detect(Image.pixels(pixels, format, width, height));
  }

  /**
   * Finds the faces of an image.
   *
   * @param image the image
   * @return its faces, the most confident first
   */
  public Faces detect(Image image) {
    return detect(image, new DetectOptions());
  }

  /**
   * Finds the faces of an image. If the models are loaded, this thread searches.
   *
   * @param image the image, whose bytes are read until the call returns
   * @param options what to look for
   * @return its faces, the most confident first
   */
  public Faces detect(Image image, DetectOptions options) {
    try {
      ByteBuffer memory = Native.memory().put(options.struct()).put(image.struct());
      byte[] larger =
          Native.detect(handle.get(), memory, memory.capacity(), image.planes(), options.text("model"), boxes(options));
      return Faces.read(larger == null ? memory.clear() : Native.reader(larger));
    } finally {
      Reference.reachabilityFence(this);
      Reference.reachabilityFence(options);
    }
  }

  /**
   * Finds the faces of several images, one after the other, with one call. An image that fails does not fail the
   * others: its result has no faces, and {@link Faces#failure} says why.
   *
   * @param images the images, whose bytes are read until the call returns; arrays are copied, all at once
   * @param options what to look for in each
   * @return the faces of each image, in their order, unmodifiable
   */
  public List<Faces> detectBatch(List<Image> images, DetectOptions options) {
    try {
      byte[] packed = Native.detectBatch(handle.get(), images.stream().map(Image::struct).toArray(byte[][] ::new),
          images.stream().map(Image::planes).toArray(Object[][] ::new), options.struct(), options.text("model"),
          boxes(options));
      ByteBuffer reader = Native.reader(packed);
      return images.stream().map(image -> Faces.readOfBatch(reader)).toList();
    } finally {
      Reference.reachabilityFence(this);
      Reference.reachabilityFence(options);
    }
  }

  /**
   * Opens a session, which follows the faces of a video from frame to frame, with the default options.
   *
   * @param listener receives the events
   * @return the session, which the caller keeps and closes
   */
  public Session session(SessionListener listener) {
    return session(new SessionOptions(), new DetectOptions(), listener);
  }

  /**
   * Opens a session, which follows the faces of a video from frame to frame.
   *
   * @param options how frames are queued, and faces followed
   * @param detection what to look for
   * @param listener receives the events
   * @return the session, which the caller keeps and closes
   */
  public Session session(SessionOptions options, DetectOptions detection, SessionListener listener) {
    return new Session(this, options, detection, null, listener);
  }

  /**
   * Opens a guided check, which leads a person in front of a camera to a good picture.
   *
   * @param options what the check demands
   * @param listener receives the events
   * @return the check, which the caller keeps and closes
   */
  public GuidedCheck guidedCheck(CheckOptions options, SessionListener listener) {
    return guidedCheck(options, new SessionOptions(), new DetectOptions(), listener);
  }

  /**
   * Opens a guided check, which leads a person in front of a camera to a good picture.
   *
   * @param options what the check demands
   * @param session how frames are queued, and faces followed
   * @param detection what to look for besides what the check needs, such as landmarks to draw
   * @param listener receives the events
   * @return the check, which the caller keeps and closes
   */
  public GuidedCheck guidedCheck(
      CheckOptions options, SessionOptions session, DetectOptions detection, SessionListener listener) {
    return new GuidedCheck(this, options, session, detection, listener);
  }

  /**
   * Checks one photo: it is right if no tip applies. Actions, motion and times do not count.
   *
   * @param image the photo
   * @param options what the check demands
   * @return the tips
   */
  public PhotoCheck checkPhoto(Image image, CheckOptions options) {
    return checkPhoto(image, options, new DetectOptions());
  }

  /**
   * Checks one photo, looking for more than the check needs.
   *
   * @param image the photo
   * @param options what the check demands
   * @param detection what to look for
   * @return the tips
   */
  public PhotoCheck checkPhoto(Image image, CheckOptions options, DetectOptions detection) {
    List<CheckUpdate> updates = new ArrayList<>();
    SessionListener collector = new SessionListener() {
      @Override
      public void onCheck(Frame frame, CheckUpdate update) {
        updates.add(update);
      }
    };
    try {
      int tip = Native.checkImage(handle.get(), image.struct(), image.planes(), detection.struct(),
          detection.text("model"), options.struct(), space(options), new Dispatcher(collector));
      return new PhotoCheck(Tip.of(tip), Collections.unmodifiableList(updates));
    } finally {
      Reference.reachabilityFence(this);
      Reference.reachabilityFence(detection);
    }
  }

  /** Releases the engine. Calls that run in other threads still finish; open sessions continue until they are
     closed. */
  @Override
  public void close() {
    handle.release();
  }

  long handle() {
    return handle.get();
  }

  /** The bytes of the space of a check; null if none was set. */
  static byte[] space(CheckOptions options) {
    return options.given("view") instanceof Space space ? space.struct() : null;
  }

  @SuppressWarnings("unchecked") // it is what the method boxes was given
  private static float[] boxes(DetectOptions options) {
    List<Box> boxes = (List<Box>) options.given("boxes");
    if (boxes == null) {
      return null;
    }
    float[] numbers = new float[4 * boxes.size()];
    int at = 0;
    for (Box box : boxes) {
      numbers[at++] = box.x();
      numbers[at++] = box.y();
      numbers[at++] = box.width();
      numbers[at++] = box.height();
    }
    return numbers;
  }
}
