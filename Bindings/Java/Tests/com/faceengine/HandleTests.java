package com.faceengine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads and ends. */
class HandleTests {
  static final int THREADS = 8;
  static final int CALLS = 10_000;
  static <T> List<T> inThreads(Callable<T> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> result : threads.invokeAll(Collections.nCopies(THREADS, work))) {
        results.add(result.get());
      }
      return results;
    } finally {
      threads.shutdown();
    }
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void tenThousandCallsOfEightThreadsAgree(Door door) throws Exception {
    int open = Handle.open();
    try (Engine engine = door.open()) {
      Image image = Door.small();
      Image photo = Door.photo();
      DetectOptions pose = new DetectOptions().maxSide(64).landmarks(true);
      Faces expected = engine.detect(photo, pose);
      assertEquals(1, expected.size());
      Callable<Integer> work = () -> {
        int found = 0;
        for (int call = 0; call < CALLS / THREADS; call++) {
          found += engine.detect(image).size();
          if (call % 50 == 0) {
            assertEquals(expected, engine.detect(photo, pose));
          }
        }
        return found;
      };
      assertEquals(Collections.nCopies(THREADS, 0), inThreads(work));
      assertEquals(open + 1, Handle.open());
    }
    assertEquals(open, Handle.open());
  }

  @ParameterizedTest
  @EnumSource(Door.class)
  void anEngineIsClosedWhileThreadsUseIt(Door door) throws Exception {
    int open = Handle.open();
    Engine engine = door.open();
    Image photo = Door.photo();
    CountDownLatch running = new CountDownLatch(THREADS);
    Thread closer = new Thread(() -> {
      SessionTests.await(running);
      engine.close();
    });
    closer.start();
    List<Status> ends = inThreads(() -> {
      while (true) {
        try {
          assertEquals(1, engine.detect(photo).size());
          running.countDown();
        } catch (FaceEngineException end) {
          return end.status();
        }
      }
    });
    closer.join();
    assertEquals(Collections.nCopies(THREADS, Status.INVALID_ARGUMENT), ends);
    engine.close();
    assertEquals(open, Handle.open());
    DetectTests.refused(Status.INVALID_ARGUMENT, "this Engine is closed", () -> engine.detect(photo));
    DetectTests.refused(
        Status.INVALID_ARGUMENT, "this Engine is closed", () -> engine.session(new SessionListener() {}));
  }

  /** Collects garbage until as many handles are open. A machine that is busy only takes longer. */
  static void waitUntilOpen(int handles) throws InterruptedException {
    for (int tries = 0; tries < 6000 && Handle.open() != handles; tries++) {
      System.gc();
      Thread.sleep(10);
    }
    assertEquals(handles, Handle.open());
  }

  private static void forget() {
    Engine engine = Door.LOADED.open();
    Session[] own = new Session[1];
    own[0] = engine.session(new SessionListener() {
      @Override
      public void onDropped(Frame frame, long droppedSoFar) {
        own[0].close(); // a listener that knows its session
      }
    });
    own[0].submit(Door.small());
    engine.detect(Door.photo(), new DetectOptions().canceller(new Canceller()));
  }

  @Test
  void whatIsForgottenIsReleased() throws Exception {
    int open = Handle.open();
    forget();
    waitUntilOpen(open);
  }
}
