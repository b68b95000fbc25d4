package com.faceengine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One kind of exception for one kind of mistake: null is a NullPointerException, everything else a FaceEngineException
 * with the status that C has for it, whether Java, the library or the engine finds it.
 */
class MistakeTests {
  private static final Engine ENGINE = Door.LOADED.open();
  private static final Space VIEW = new Space().kind(SpaceKind.VIEW).viewWidth(90).viewHeight(90);
  private static final Face PLAIN = ENGINE.detect(Door.photo()).get(0);
  private static Screen screen(float bottom) {
    return new Screen(new Screen.Corner(17, -1, 0), new Screen.Corner(-17, -1, 0), new Screen.Corner(17, bottom, 0));
  }

  private static Arguments row(Status status, String named, Executable call) {
    return Arguments.of(status, named, call);
  }

  static Stream<Arguments> mistakes() {
    ByteBuffer bytes = ByteBuffer.allocate(100);
    Box box = new Box(1, 2, 3, 4);
    return Stream.of(
        // Found in Java.
        row(Status.INVALID_ARGUMENT, "maxFaces is -1", () -> new DetectOptions().maxFaces(-1).pose(true).struct()),
        row(Status.INVALID_ARGUMENT, "timeout is PT-1S",
            () -> new DetectOptions().timeout(Duration.ofSeconds(-1)).struct()),
        row(Status.INVALID_ARGUMENT, "model has a NUL", () -> new DetectOptions().model("a\0b").struct()),
        row(Status.INVALID_ARGUMENT, "\"a?b\" has a NUL", () -> Engine.load("a\0b").close()),
        row(Status.INVALID_ARGUMENT, "actions has 9",
            () -> new CheckOptions().actions(Collections.nCopies(9, Action.BLINK).toArray(new Action[0])).struct()),
        row(Status.INVALID_ARGUMENT, "no bytes", () -> Image.encoded(new byte[0]).struct()),
        row(Status.INVALID_ARGUMENT, "5 planes",
            () -> Image.planes(Collections.nCopies(5, bytes), Format.I420, 9, 9).struct()),
        row(Status.INVALID_ARGUMENT, "-1 × 9", () -> Image.planes(List.of(bytes), Format.RGB, -1, 9).struct()),
        row(Status.INVALID_ARGUMENT, "100 bytes, too few", () -> Image.pixels(bytes, Format.NV12, 20, 20).struct()),
        row(Status.INVALID_ARGUMENT, "strides has 5", () -> Door.small().strides(1, 2, 3, 4, 5).struct()),
        row(Status.INVALID_ARGUMENT, "boxes",
            ()
                -> ENGINE
                       .session(new SessionOptions(), new DetectOptions().boxes(List.of(box)), new SessionListener() {})
                       .close()),
        row(Status.FAILED_PRECONDITION, "landmarks(true)", () -> PLAIN.region(Region.NOSE).size()),
        row(Status.FAILED_PRECONDITION, "expressions(true)", () -> PLAIN.expression(Expression.JAW_OPEN)),
        row(Status.FAILED_PRECONDITION, "gaze(true)", () -> PLAIN.lookAt(screen(-20))),
        row(Status.INVALID_ARGUMENT, "no area", () -> PLAIN.lookAt(screen(-1))),
        // Found by the library.
        row(Status.INVALID_ARGUMENT, "confidence",
            () -> ENGINE.detect(Door.photo(), new DetectOptions().minConfidence(2))),
        row(Status.INVALID_ARGUMENT, "JPEG", () -> ENGINE.detect(new byte[100])),
        row(Status.INVALID_ARGUMENT, "", () -> ENGINE.detect(bytes, Format.GRAY, 100, 100)),
        row(Status.OUT_OF_RANGE, "", () -> ENGINE.detect(bytes, Format.GRAY, 10, 10)),
        row(Status.NOT_FOUND, "nobody", () -> ENGINE.detect(Door.photo(), new DetectOptions().model("nobody"))),
        row(Status.NOT_FOUND, "/nowhere", () -> Engine.load("/nowhere").close()),
        row(Status.UNAVAILABLE, "/nowhere", () -> Engine.connect(Path.of("/nowhere")).close()),
        row(Status.INVALID_ARGUMENT, "45", () -> Image.orientationOfCamera(45, 0, false)),
        row(Status.INVALID_ARGUMENT, "rotation", () -> ENGINE.detect(Door.small()).toSpace(box, VIEW.rotation(45))),
        row(Status.INVALID_ARGUMENT, "max_yaw", () -> ENGINE.checkPhoto(Door.photo(), new CheckOptions().maxYaw(100))),
        // Closed, by the caller.
        row(Status.INVALID_ARGUMENT, "this Engine is closed", () -> {
          Engine closed = Door.LOADED.open();
          closed.close();
          closed.detect(Door.small());
        }), row(Status.INVALID_ARGUMENT, "this session is closed", () -> {
          Session closed = ENGINE.session(new SessionListener() {});
          closed.close();
          closed.flush();
        }), row(Status.INVALID_ARGUMENT, "this Canceller is closed", () -> {
          Canceller closed = new Canceller();
          closed.close();
          new DetectOptions().canceller(closed).struct();
        }), row(Status.INVALID_ARGUMENT, "timeout is PT-1S", () -> {
          try (Session session = ENGINE.session(new SessionListener() {})) {
            session.flush(Duration.ofSeconds(-1));
          }
        }));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("mistakes")
  void aMistakeHasTheStatusOfC(Status status, String named, Executable call) {
    DetectTests.refused(status, named, call);
  }

  static Stream<Executable> nulls() {
    return Stream.of(()
                         -> Engine.load((String) null).close(),
        ()
            -> Engine.connect(null).close(),
        ()
            -> Image.encoded((byte[]) null).struct(),
        ()
            -> Image.pixels(null, Format.RGB, 9, 9).struct(),
        ()
            -> Image.orientationOfCamera(0, 0, false).compareTo(null),
        ()
            -> new DetectOptions().accuracy(null).struct(),
        ()
            -> new DetectOptions().timeout(null).struct(),
        ()
            -> new CheckOptions().preset(null).struct(),
        ()
            -> new CheckOptions().mask(null).struct(),
        ()
            -> ENGINE.detect((Image) null),
        ()
            -> ENGINE.detect(Door.photo(), null),
        ()
            -> ENGINE.session(null).close(),
        ()
            -> PLAIN.lookAt(null),
        ()
            -> PLAIN.expression(null),
        () -> PLAIN.region(null).size(), () -> ENGINE.guidedCheck(null, new SessionListener() {
                                                     }).close(), () -> ENGINE.checkPhoto(Door.photo(), null));
  }

  @ParameterizedTest
  @MethodSource("nulls")
  void nullIsANullPointerException(Executable call) {
    assertThrows(NullPointerException.class, call);
  }

  /** Error Prone and IDEs find it by this name, in the class file. */
  @ParameterizedTest
  @ValueSource(classes = {DetectOptions.class, SessionOptions.class, CheckOptions.class, LoadOptions.class,
                   ConnectOptions.class, Space.class, Image.class})
  void
  aCopyThatNobodyUsesIsFound(Class<?> type) throws Exception {
    try (InputStream file = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      String constants = new String(new DataInputStream(file).readAllBytes(), StandardCharsets.ISO_8859_1);
      assertTrue(
          constants.contains("RuntimeInvisibleAnnotations") && constants.contains("Lcom/faceengine/CheckReturnValue;"));
    }
    for (Method method : type.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers()) && !method.isBridge() && !method.getName().equals("toString")) {
        assertTrue(method.getReturnType() != void.class, method.toString());
      }
    }
  }

  @Test
  void aScreenIsLookedAt() {
    ByteBuffer packed = ByteBuffer.allocate(48);
    for (float number : new float[] {3, 0, -60, 0, -0.1f, 1, -3, 0, -60, 0, -0.1f, 1}) {
      packed.putFloat(number);
    }
    Face face = new Face(PLAIN.box(), PLAIN.clampedBox(), 1, false, 0, 0, null, null, null, null, null, null, null,
        null, null, null, Numbers.read(packed.flip(), 12));
    // 6 cm below the camera, in the middle of a screen that begins 1 cm below it.
    Point point = face.lookAt(screen(-11));
    assertEquals(0.5f, point.x(), 1e-5f);
    assertEquals(0.5f, point.y(), 1e-5f);
    Screen behind =
        new Screen(new Screen.Corner(17, -1, -99), new Screen.Corner(-17, -1, -99), new Screen.Corner(17, -20, -99));
    DetectTests.refused(Status.OUT_OF_RANGE, "towards", () -> face.lookAt(behind));
  }
}
