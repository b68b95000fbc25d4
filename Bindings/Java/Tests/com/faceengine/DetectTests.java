package com.faceengine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DetectTests {
  /** The members of Face that are requested by a method of DetectOptions of the same name. */
  private static List<RecordComponent> outputs() {
    List<RecordComponent> found = new ArrayList<>();
    for (RecordComponent component : Face.class.getRecordComponents()) {
      try {
        DetectOptions.class.getMethod(component.getName(), boolean.class);
        found.add(component);
      } catch (NoSuchMethodException isNoOutput) {
        assertNotNull(isNoOutput);
      }
    }
    return found;
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void theFaceOfAPhoto(Door door) throws Exception {
    try (Engine engine = door.open()) {
      Faces faces = engine.detect(Door.photoFile());
      assertEquals(List.of(1, Door.WIDTH, Door.HEIGHT, 0),
          List.of(faces.size(), faces.width(), faces.height(), faces.unanalysed()));
      Face face = faces.get(0);
      assertEquals("177 120 181 218",
          "%.0f %.0f %.0f %.0f".formatted(face.box().x(), face.box().y(), face.box().width(), face.box().height()));
      assertEquals(0.942, face.confidence(), 0.001);
      assertTrue(face.points().leftEye().x() > face.points().rightEye().x(), "left is the subject's");
      assertThrows(UnsupportedOperationException.class, () -> faces.remove(0));
      assertEquals(faces, engine.detect(Door.photo()));
      assertEquals(faces.hashCode(), engine.detect(Door.photo()).hashCode());
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void eachOutputIsThereWhereItIsRequestedAndNowhereElse(Door door) throws Exception {
    assertTrue(outputs().size() >= 10);
    try (Engine engine = door.open()) {
      DetectOptions all = new DetectOptions();
      for (RecordComponent output : outputs()) {
        all = (DetectOptions) DetectOptions.class.getMethod(output.getName(), boolean.class).invoke(all, true);
      }
      Face full = engine.detect(Door.photo(), all).get(0);
      Face plain = engine.detect(Door.photo()).get(0);
      for (RecordComponent output : outputs()) {
        assertNotNull(output.getAccessor().invoke(full), output.getName());
        assertNull(output.getAccessor().invoke(plain), output.getName());
        DetectOptions without =
            (DetectOptions) DetectOptions.class.getMethod(output.getName(), boolean.class).invoke(all, false);
        Face other = engine.detect(Door.photo(), without).get(0);
        assertNull(output.getAccessor().invoke(other), output.getName());
        assertEquals(full.transform(), output.getName().equals("transform") ? full.transform() : other.transform());
      }
      assertEquals(List.of(478, 52, 16, 38, 478, 12),
          List.of(full.landmarks().size(), full.expressions().size(), full.transform().size(), full.isoQuality().size(),
              full.precision().size(), full.gaze().size()));
      assertEquals(16, full.region(Region.LEFT_EYE).size());
      assertTrue(full.landmarks().containsAll(full.region(Region.NOSE)));
      refused(Status.FAILED_PRECONDITION, "landmarks(true)", () -> plain.region(Region.NOSE));
      assertThrows(UnsupportedOperationException.class, () -> full.landmarks().clear());
      assertTrue(full.toString().length() < 2000 && full.toString().contains("pose=Pose[yaw="), full.toString());
    }
  }

  @Test
  void theMeshIsASurfaceWithThreeHoles() {
    int[] edges = FaceMesh.edges();
    int[] triangles = FaceMesh.triangles();
    assertEquals(List.of(2 * 1322, 3 * 852), List.of(edges.length, triangles.length));
    assertEquals(-2, Arrays.stream(triangles).distinct().count() - edges.length / 2 + triangles.length / 3);
    assertEquals(133, Arrays.stream(Contour.values()).mapToInt(contour -> FaceMesh.contour(contour).size()).sum());
    assertEquals(List.of(Contour.FACE, Contour.LEFT_EYE, Contour.RIGHT_EYE),
        Arrays.stream(Contour.values()).filter(FaceMesh::isClosed).toList());
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void contoursAndPointsWithNames(Door door) throws Exception {
    try (Engine engine = door.open()) {
      Face face = engine.detect(Door.photo(), new DetectOptions().landmarks(true)).get(0);
      assertEquals(face.region(Region.LEFT_EYE), face.contour(Contour.LEFT_EYE));
      assertEquals(face.landmarks().get(152), face.point(MeshPoint.CHIN));
      assertTrue(face.point(MeshPoint.LEFT_CHEEK).x() > face.point(MeshPoint.RIGHT_CHEEK).x(), "left is the subject's");
      assertThrows(NullPointerException.class, () -> face.contour(null));
      Face plain = engine.detect(Door.photo()).get(0);
      refused(Status.FAILED_PRECONDITION, "landmarks(true)", () -> plain.contour(Contour.FACE));
      refused(Status.FAILED_PRECONDITION, "landmarks(true)", () -> plain.point(MeshPoint.CHIN));
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void allKindsOfBuffersGiveTheSameFaces(Door door) throws Exception {
    try (Engine engine = door.open()) {
      ByteBuffer direct = Door.rgb();
      byte[] array = new byte[direct.remaining()];
      direct.duplicate().get(array);
      ByteBuffer later = ByteBuffer.allocate(array.length + 77).position(77).put(array).position(77);
      Faces faces = engine.detect(direct, Format.RGB, Door.WIDTH, Door.HEIGHT);
      assertEquals(1, faces.size());
      for (ByteBuffer other :
          List.of(ByteBuffer.wrap(array), later, later.slice(), later.asReadOnlyBuffer(), direct.asReadOnlyBuffer())) {
        assertEquals(faces, engine.detect(other, Format.RGB, Door.WIDTH, Door.HEIGHT));
      }
      assertEquals(77, later.position());
      assertEquals(faces, engine.detect(Image.of(Door.picture())));
      ByteBuffer file = ByteBuffer.allocateDirect((int) Door.PHOTO.toFile().length()).put(Door.photoFile()).flip();
      assertEquals(engine.detect(Door.photo()), engine.detect(Image.encoded(file)));
    }
  }

  @Test
  void planesMayLieBehindEachOtherOrApartAndRowsMayHaveAStride() throws Exception {
    try (Engine engine = Door.LOADED.open()) {
      ByteBuffer rgb = Door.rgb();
      int luma = Door.WIDTH * Door.HEIGHT;
      ByteBuffer i420 = ByteBuffer.allocateDirect(luma * 3 / 2);
      ByteBuffer padded = ByteBuffer.allocate((Door.WIDTH + 8) * Door.HEIGHT);
      for (int place = 0; place < luma; place++) {
        i420.put(place, rgb.get(3 * place + 1));
        padded.put(place / Door.WIDTH * (Door.WIDTH + 8) + place % Door.WIDTH, rgb.get(3 * place + 1));
      }
      for (int place = luma; place < luma * 3 / 2; place++) {
        i420.put(place, (byte) 128);
      }
      Faces grey = engine.detect(Image.pixels(i420.duplicate().limit(luma), Format.GRAY, Door.WIDTH, Door.HEIGHT));
      assertEquals(1, grey.size());
      assertEquals(grey, engine.detect(i420, Format.I420, Door.WIDTH, Door.HEIGHT));
      assertEquals(grey, engine.detect(i420, Format.NV12, Door.WIDTH, Door.HEIGHT));
      List<ByteBuffer> planes = List.of(i420.slice(0, luma), i420.slice(luma, luma / 2));
      assertEquals(grey, engine.detect(Image.planes(planes, Format.NV21, Door.WIDTH, Door.HEIGHT)));
      assertEquals(
          grey, engine.detect(Image.pixels(padded, Format.GRAY, Door.WIDTH, Door.HEIGHT).strides(Door.WIDTH + 8)));
      refused(Status.INVALID_ARGUMENT, "too few",
          () -> Image.pixels(i420.slice(0, luma), Format.I420, Door.WIDTH, Door.HEIGHT));
    }
  }

  @Test
  void imagesAreMirroredTurnedAndSearchedInPart() {
    try (Engine engine = Door.LOADED.open()) {
      Box box = engine.detect(Door.photo()).get(0).box();
      Faces mirrored = engine.detect(Door.photo().mirrored(true));
      assertEquals(Door.WIDTH - box.x() - box.width(), mirrored.get(0).box().x(), 12);
      Faces turned =
          engine.detect(Door.photo().orientation(Orientation.RIGHT), new DetectOptions().rotations(Rotations.ANY));
      assertEquals(List.of(Door.HEIGHT, Door.WIDTH), List.of(turned.width(), turned.height()));
      assertTrue(engine.detect(Door.photo().region(new Box(0, 0, 100, 100))).isEmpty());
      Face given = engine.detect(Door.photo(), new DetectOptions().boxes(List.of(box)).pose(true)).get(0);
      assertEquals(1, given.confidence());
      assertNotNull(given.pose());
      assertTrue(engine.detect(Door.photo(), new DetectOptions().boxes(List.of()).pose(true)).isEmpty());
    }
  }

  /** Far more numbers than the memory of a thread has room for. */
  @ParameterizedTest
  @EnumSource(Door.class)
  void manyFacesAreReadAsOneIs(Door door) {
    try (Engine engine = door.open()) {
      Box box = engine.detect(Door.photo()).get(0).box();
      DetectOptions landmarks = new DetectOptions().landmarks(true).maxAnalysedFaces(50);
      Faces one = engine.detect(Door.photo(), landmarks.boxes(List.of(box)));
      Faces many = engine.detect(Door.photo(), landmarks.boxes(Collections.nCopies(50, box)));
      assertEquals(478, one.get(0).landmarks().size());
      assertEquals(Collections.nCopies(50, one.get(0)), many);
      assertEquals(one, engine.detect(Door.photo(), landmarks.boxes(List.of(box))));
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void aBatchHasTheFacesOfEachImageOrItsFailure(Door door) {
    try (Engine engine = door.open()) {
      List<Image> images = new ArrayList<>(Collections.nCopies(20, Door.small()));
      images.addAll(List.of(Door.photo(), Image.encoded(new byte[100]), Door.photo().mirrored(true)));
      List<Faces> found = engine.detectBatch(images, new DetectOptions().pose(true));
      assertEquals(23, found.size());
      assertEquals(engine.detect(images.get(20), new DetectOptions().pose(true)), found.get(20));
      assertEquals(engine.detect(images.get(22), new DetectOptions().pose(true)), found.get(22));
      assertEquals(List.of(0, 32, 1, 512),
          List.of(found.get(0).size(), found.get(0).width(), found.get(20).size(), found.get(20).width()));
      assertNull(found.get(20).failure());
      assertEquals(Status.INVALID_ARGUMENT, found.get(21).failure().status());
      assertTrue(found.get(21).isEmpty() && found.get(21).failure().getMessage().contains("JPEG"));
      assertTrue(engine.detectBatch(List.of(), new DetectOptions()).isEmpty());
      refused(Status.INVALID_ARGUMENT, "confidence",
          () -> engine.detectBatch(images, new DetectOptions().minConfidence(2)));
      assertThrows(
          NullPointerException.class, () -> engine.detectBatch(Arrays.asList(Door.small(), null), new DetectOptions()));
    }
  }

  @Test
  void placesAreConvertedToAViewAndBack() {
    try (Engine engine = Door.LOADED.open()) {
      Faces faces = engine.detect(Door.photo());
      Box box = faces.get(0).box();
      Space view = new Space().kind(SpaceKind.VIEW).viewWidth(256).viewHeight(300).mirrored(true);
      Box shown = faces.toSpace(box, view);
      assertEquals(256 - (box.x() + box.width()) / 2, shown.x(), 0.01);
      assertEquals(
          List.of(box.y() / 2, box.width() / 2, box.height() / 2), List.of(shown.y(), shown.width(), shown.height()));
      assertEquals(new Point(256, 0), faces.toSpace(new Point(0, 0), view));
      assertEquals(new Point(512, 600), faces.fromSpace(new Point(0, 300), view));
      Circle circle = new Circle(100, 200, 50);
      assertEquals(25, faces.toSpace(circle, view).radius());
      assertEquals(circle, faces.fromSpace(faces.toSpace(circle, view), view));
      assertEquals(box.width(), faces.fromSpace(shown, view).width(), 1e-3f);
      refused(Status.INVALID_ARGUMENT, "view", () -> faces.toSpace(box, view.viewWidth(0)));
    }
  }

  @Test
  void aFaceSmilesAndAnEyeIsClosedByTheLimitsOfC() {
    assertEquals(List.of(true, false), List.of(new Mouth(0.5f, 0).hasSmile(), new Mouth(0.49f, 1).hasSmile()));
    Eyes eyes = new Eyes(0.49f, 0.5f);
    assertEquals(List.of(true, false), List.of(eyes.leftEyeClosed(), eyes.rightEyeClosed()));
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void expressionsHaveNamesAndResultsModels(Door door) {
    assertEquals(52, Expression.values().length);
    assertEquals("mouthSmileLeft", Expression.MOUTH_SMILE_LEFT.label());
    try (Engine engine = door.open()) {
      Faces faces = engine.detect(Door.photo(), new DetectOptions().expressions(true));
      Face face = faces.get(0);
      for (Expression one : Expression.values()) {
        assertEquals(face.expressions().at(one.ordinal()), face.expression(one));
      }
      assertEquals(Collections.max(face.expressions()), face.expression(Expression.EYE_SQUINT_LEFT));
      List<Model> detectors = engine.detect(Door.photo()).models();
      assertEquals(List.of("yunet"), detectors.stream().map(Model::name).toList());
      assertTrue(detectors.get(0).revision() >= 1 && detectors.get(0).weightsSha256().matches("[0-9a-f]{64}"),
          detectors.toString());
      assertEquals(3, faces.models().size());
      assertEquals(detectors.get(0), faces.models().get(0));
      List<Faces> batch = engine.detectBatch(List.of(Door.photo(), Image.encoded(new byte[9])), new DetectOptions());
      assertEquals(List.of(detectors, List.of()), batch.stream().map(Faces::models).toList());
    }
  }

  @Test
  void aPresetAndTheOrientationOfACameraAreThoseOfC() {
    CheckOptions iso = new CheckOptions().hold(Duration.ofSeconds(2)).preset(CheckPreset.ISO);
    CheckOptions byHand = new CheckOptions().hold(Duration.ofSeconds(2)).maxYaw(5).maxPitch(5).maxRoll(8);
    assertTrue(Arrays.equals(byHand.struct(), iso.struct()), iso.toString());
    assertTrue(Arrays.equals(byHand.maxYaw(20).struct(), iso.maxYaw(20).struct()));
    assertEquals(Orientation.RIGHT, Image.orientationOfCamera(90, 0, false));
    assertEquals(Orientation.UP, Image.orientationOfCamera(90, 90, true));
    assertEquals(Orientation.DOWN, Image.orientationOfCamera(90, 90, false));
  }

  static void refused(Status status, String named, Executable call) {
    FaceEngineException failure = assertThrows(FaceEngineException.class, call);
    assertEquals(status, failure.status(), failure.getMessage());
    assertTrue(failure.getMessage().contains(named), failure.getMessage());
    assertTrue(failure.toString().contains(status.name()));
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void callsAreCancelledAndHaveDeadlines(Door door) {
    try (Engine engine = door.open(); Canceller canceller = new Canceller()) {
      DetectOptions options = new DetectOptions().canceller(canceller);
      assertEquals(1, engine.detect(Door.photo(), options).size());
      canceller.cancel();
      refused(Status.CANCELLED, "", () -> engine.detect(Door.photo(), options));
      refused(Status.DEADLINE_EXCEEDED, "",
          () -> engine.detect(Door.photo(), new DetectOptions().timeout(Duration.ofNanos(1))));
    }
  }

  @Test
  void optionsDoNotChange() {
    DetectOptions before = new DetectOptions();
    DetectOptions after = before.pose(true).minConfidence(0.5f);
    assertEquals("DetectOptions{}", before.toString());
    assertEquals("DetectOptions{pose=true, minConfidence=0.5}", after.toString());
    assertFalse(Arrays.equals(before.struct(), after.struct()));
  }
}
