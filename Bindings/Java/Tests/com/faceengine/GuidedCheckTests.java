package com.faceengine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GuidedCheckTests {
  private static final CheckOptions OPTIONS =
      new CheckOptions().mask(new Circle(268, 226, 200)).useTimestamps(true).cropSize(128);
  private static final long STEP_NS = 100_000_000;

  private static GuidedCheck check(Engine engine, Consumer<CheckUpdate> seen) {
    SessionListener listener = new SessionListener() {
      @Override
      public void onCheck(Frame frame, CheckUpdate update) {
        seen.accept(update);
      }
    };
    return engine.guidedCheck(OPTIONS, new SessionOptions().mode(SessionMode.EVERY), new DetectOptions(), listener);
  }

  private static void submit(GuidedCheck check, long first, long last) {
    for (long frame = first; frame <= last; frame++) {
      check.submit(Door.photo().timestampNs(frame * STEP_NS));
    }
    check.flush();
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void aFaceThatStaysInTheCircleGivesAPicture(Door door) throws Exception {
    List<CheckUpdate> updates = Collections.synchronizedList(new ArrayList<>());
    try (Engine engine = door.open(); GuidedCheck check = check(engine, updates::add)) {
      submit(check, 1, 25);
      CheckUpdate result =
          updates.stream().filter(update -> update.event() == CheckEventKind.RESULT).findFirst().orElseThrow();
      assertEquals(CheckState.FINISH, result.state());
      assertEquals(Tip.DONE, result.tip());
      assertEquals("Done", result.text());
      assertEquals(result.text(), result.tip().text());
      assertEquals(1, result.progress());
      assertEquals(new Circle(268, 226, 200), result.circle());
      assertNull(result.code());
      assertNotNull(result.face().quality());
      assertEquals(List.of(128, 128), List.of(result.crop().width(), result.crop().height()));
      assertTrue(result.cropBox().width() > result.face().box().width());
      BufferedImage picture = result.picture().toBufferedImage();
      assertEquals(List.of(Door.WIDTH, Door.HEIGHT), List.of(picture.getWidth(), picture.getHeight()));
      int difference = 0;
      for (int shift = 0; shift <= 16; shift += 8) {
        difference +=
            Math.abs((picture.getRGB(268, 226) >> shift & 255) - (Door.picture().getRGB(268, 226) >> shift & 255));
      }
      assertTrue(difference < 12, "the colours differ by " + difference);
      updates.clear();
      check.restart();
      submit(check, 26, 26);
      assertEquals(2, updates.get(0).attempt());
    }
  }

  /** Begins anew in its first event, when others of the frame and frames of the attempt are still to come. */
  @ParameterizedTest
  @EnumSource(Door.class)
  void nothingOfAnAttemptComesAfterRestart(Door door) {
    GuidedCheck[] own = new GuidedCheck[1];
    List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
    Consumer<CheckUpdate> seen = update -> {
      attempts.add(update.attempt());
      if (attempts.size() == 1) {
        own[0].restart();
      }
    };
    try (Engine engine = door.open(); GuidedCheck check = check(engine, seen)) {
      own[0] = check;
      submit(check, 1, 12);
      assertEquals(1, attempts.get(0));
      assertTrue(
          attempts.size() > 2 && attempts.stream().skip(1).allMatch(attempt -> attempt == 2), attempts.toString());
    }
  }

  /** The program lets go of the result, as a kiosk does; the check is still open. */
  @ParameterizedTest
  @EnumSource(Door.class)
  void aCheckKeepsNoPicture(Door door) throws Exception {
    List<Reference<ByteBuffer>> pictures = Collections.synchronizedList(new ArrayList<>());
    Consumer<CheckUpdate> seen = update -> {
      if (update.event() == CheckEventKind.RESULT) {
        pictures.add(new WeakReference<>(update.picture().pixels()));
        pictures.add(new WeakReference<>(update.crop().pixels()));
      }
    };
    try (Engine engine = door.open(); GuidedCheck check = check(engine, seen)) {
      for (long first = 1; first < 60; first += 20) {
        submit(check, first, first + 19);
        check.restart();
      }
      assertEquals(6, pictures.size());
      for (int tries = 0; tries < 6000 && pictures.stream().anyMatch(picture -> picture.get() != null); tries++) {
        System.gc();
        Thread.sleep(10);
      }
      assertTrue(pictures.stream().allMatch(picture -> picture.get() == null));
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void aPhotoIsCheckedWithTips(Door door) {
    try (Engine engine = door.open()) {
      assertTrue(engine.checkPhoto(Door.photo(), OPTIONS).isRight());
      PhotoCheck far = engine.checkPhoto(Door.photo(), OPTIONS.mask(new Circle(256, 300, 1000)));
      assertEquals(Tip.COME_CLOSER, far.tip());
      CheckUpdate last = far.updates().get(far.updates().size() - 1);
      assertEquals(List.of(CheckEventKind.FAILED, "not_right"), List.of(last.event(), last.code()));
      assertNotNull(last.message());
      Space view = new Space().kind(SpaceKind.VIEW).viewWidth(1024).viewHeight(1200);
      assertTrue(engine.checkPhoto(Door.photo(), OPTIONS.view(view).mask(new Circle(536, 452, 400))).isRight());
      DetectTests.refused(
          Status.INVALID_ARGUMENT, "max_yaw", () -> engine.checkPhoto(Door.photo(), OPTIONS.maxYaw(100)));
      assertEquals(Tip.NO_FACE, engine.checkPhoto(Door.small(), OPTIONS).tip());
      CheckOptions strict = OPTIONS.minIso(IsoMeasure.HEAD_SIZE, 100).actions(Action.BLINK, Action.SMILE);
      assertTrue(strict.toString().contains("minIso HEAD_SIZE=100.0, actions=[BLINK, SMILE]"), strict.toString());
      assertTrue(!engine.checkPhoto(Door.photo(), strict).isRight());
    }
  }
}
