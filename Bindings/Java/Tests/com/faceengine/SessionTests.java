package com.faceengine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SessionTests {
  private static final SessionOptions EVERY = new SessionOptions().mode(SessionMode.EVERY).minHits(1);

  /** Writes down all events. */
  private static class Recorder implements SessionListener {
    final List<String> events = Collections.synchronizedList(new ArrayList<>());
    final List<Faces> faces = Collections.synchronizedList(new ArrayList<>());
    volatile Thread thread;

    @Override
    public void onFaces(Frame frame, Faces found) {
      thread = Thread.currentThread();
      events.add("faces " + frame.number() + " at " + frame.timestampNs());
      faces.add(found);
    }

    @Override
    public void onDropped(Frame frame, long droppedSoFar) {
      events.add("dropped " + frame.number() + " " + droppedSoFar);
    }

    @Override
    public void onFailed(Frame frame, FaceEngineException failure) {
      events.add("failed " + frame.number() + " " + failure.status());
    }

    @Override
    public void onLeft(Frame frame, long faceId) {
      events.add("left " + frame.number() + " " + faceId);
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void facesHaveIdsAndLeaveAndEachFrameHasItsEvent(Door door) {
    Recorder recorder = new Recorder();
    try (Engine engine = door.open(); Session session = engine.session(EVERY.maxMissedFrames(0).detectionInterval(1),
                                          new DetectOptions(), recorder)) {
      for (int frame = 1; frame <= 3; frame++) {
        assertEquals(frame, session.submit(Door.photo().timestampNs(100 * frame)));
      }
      session.submit(Image.encoded(new byte[100]));
      session.submit(Door.small());
      session.flush();
      assertEquals(List.of("faces 1 at 100", "faces 2 at 200", "faces 3 at 300", "failed 4 INVALID_ARGUMENT",
                       "faces 5 at 0", "left 5 1"),
          recorder.events);
      assertEquals(1, recorder.faces.get(2).get(0).id());
      assertTrue(recorder.faces.get(2).get(0).frameCount() > 1);
      assertNotSame(Thread.currentThread(), recorder.thread);
      assertTrue(recorder.thread.isDaemon());
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void theBestPictureComesOnRequestAndWhenTheFaceLeaves(Door door) {
    List<BestPicture> pictures = Collections.synchronizedList(new ArrayList<>());
    List<Long> times = Collections.synchronizedList(new ArrayList<>());
    Recorder recorder = new Recorder() {
      @Override
      public void onBest(Frame frame, BestPicture picture) {
        events.add("best " + picture.faceId());
        times.add(frame.timestampNs());
        pictures.add(picture);
      }
    };
    SessionOptions options = EVERY.bestSize(64).maxMissedFrames(0).detectionInterval(1);
    try (Engine engine = door.open(); Session session = engine.session(options, new DetectOptions(), recorder)) {
      session.submit(Door.photo().timestampNs(100));
      session.flush();
      session.best(1);
      session.best();
      assertEquals(Status.NOT_FOUND, assertThrows(FaceEngineException.class, () -> session.best(2)).status());
      session.submit(Door.small());
      session.flush();
      assertEquals(
          List.of("faces 1 at 100", "best 1", "best 1", "faces 2 at 0", "left 2 1", "best 1"), recorder.events);
    }
    assertEquals(List.of(100L, 100L, 100L), times);
    assertEquals(List.of(false, false, true), pictures.stream().map(BestPicture::left).toList());
    for (BestPicture picture : pictures) {
      assertEquals(64, picture.crop().width());
      assertEquals(64, picture.crop().height());
      assertEquals(1, picture.face().id());
      assertTrue(picture.score() > 0 && picture.score() <= picture.face().quality().quality());
      assertEquals(picture.cropBox().width(), picture.cropBox().height(), 0.1);
    }
  }

  @Test
  void theNewestFrameWinsWhileTheListenerWorks() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Recorder recorder = new Recorder() {
      @Override
      public void onFaces(Frame frame, Faces found) {
        super.onFaces(frame, found);
        first.countDown();
        await(goOn);
      }
    };
    try (Engine engine = Door.LOADED.open(); Session session = engine.session(recorder)) {
      session.submit(Door.small());
      await(first);
      for (int frame = 2; frame <= 6; frame++) {
        session.submit(Door.small());
      }
      goOn.countDown();
      session.flush(Duration.ofMinutes(5));
      assertTrue(recorder.events.contains("faces 6 at 0"), recorder.events::toString);
      assertTrue(recorder.events.stream().anyMatch(event -> event.startsWith("dropped")), recorder.events::toString);
      assertEquals(6, recorder.events.size());
    }
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException error) {
      throw new AssertionError(error);
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void exceptionsOfAListenerGoToTheHandlerAndTheSessionGoesOn(Door door) throws Exception {
    LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
    try (Engine engine = door.open();
         Session session = engine.session(EVERY, new DetectOptions(), new SessionListener() {
           @Override
           public void onFaces(Frame frame, Faces faces) {
             if (frame.number() == 1) {
               throw new IllegalStateException("1");
             }
             throw new StackOverflowError("2");
           }
         })) {
      session.submit(Door.small());
      session.submit(Door.small());
      session.flush();
      assertEquals("1", uncaught.take().getMessage());
      assertEquals("2", uncaught.take().getMessage());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void aListenerSubmitsAndClosesItsOwnSession(Door door) throws Exception {
    int open = Handle.open();
    CountDownLatch closed = new CountDownLatch(1);
    List<String> events = Collections.synchronizedList(new ArrayList<>());
    LinkedBlockingQueue<Session> self = new LinkedBlockingQueue<>();
    try (Engine engine = door.open()) {
      Session session = engine.session(new SessionListener() {
        @Override
        public void onFaces(Frame frame, Faces faces) {
          events.add("faces " + frame.number());
          Session own = self.peek();
          DetectTests.refused(Status.FAILED_PRECONDITION, "", own::flush);
          if (frame.number() == 1) {
            own.submit(Door.small());
          } else {
            own.submit(Door.small());
            own.close();
            own.close();
            DetectTests.refused(Status.INVALID_ARGUMENT, "this session is closed", () -> own.submit(Door.small()));
            closed.countDown();
          }
        }

        @Override
        public void onFailed(Frame frame, FaceEngineException failure) {
          events.add("failed");
        }
      });
      self.add(session);
      session.submit(Door.small());
      await(closed);
      HandleTests.waitUntilOpen(open + 1);
      assertEquals(List.of("faces 1", "faces 2"), events);
      session.close();
    }
    assertEquals(open, Handle.open());
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void aSessionIsClosedWhileAnotherThreadSubmits(Door door) throws Exception {
    try (Engine engine = door.open()) {
      Session session = engine.session(EVERY, new DetectOptions(), new SessionListener() {});
      CountDownLatch submitted = new CountDownLatch(3);
      LinkedBlockingQueue<Status> end = new LinkedBlockingQueue<>();
      Thread submitter = new Thread(() -> {
        try {
          while (true) {
            session.submit(Door.photo());
            submitted.countDown();
          }
        } catch (FaceEngineException failure) {
          end.add(failure.status());
        }
      });
      submitter.start();
      await(submitted);
      session.close();
      submitter.join();
      assertTrue(List.of(Status.INVALID_ARGUMENT, Status.FAILED_PRECONDITION).contains(end.take()));
      DetectTests.refused(Status.INVALID_ARGUMENT, "this session is closed", () -> session.submit(Door.small()));
    }
  }

  @Test
  void anOpenSessionOutlivesItsEngine() {
    Recorder recorder = new Recorder();
    Engine engine = Door.LOADED.open();
    try (Session session = engine.session(EVERY, new DetectOptions(), recorder)) {
      engine.close();
      session.submit(Door.photo());
      session.flush();
      assertEquals(1, recorder.faces.get(0).size());
      assertTrue(session.follow(new Box(10, 10, 50, 50)) >= 1L << 32);
      assertThrows(NullPointerException.class, () -> session.submit(null));
      DetectTests.refused(Status.INVALID_ARGUMENT, "", () -> session.follow(new Box(10, 10, 0, 0)));
    }
  }
}
