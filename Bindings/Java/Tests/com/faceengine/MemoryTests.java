package com.faceengine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/**
 * What calls keep. In a Java of its own, connected: an engine that was loaded before leaves free memory, in which a
 * leak would not be seen. test.sh gives the heap its full size from the start, and the allocator one arena.
 */
class MemoryTests {
  /** A frame in an array, which is copied for each call. */
  private static final int SIDE = 64;
  /** Of 10,000 calls, after as many to warm up. */
  private static final int ROUNDS = 3;
  private static final int SESSIONS = 50;
  /** Bytes. The packed results of all calls are 30 MiB, the copied frames 350 MiB. */
  private static final long ALLOWED = 15L << 20;

  private static long residentBytes() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError("no VmRSS");
  }

  @Test
  void callsOfEightThreadsAndSessionsKeepNothing() throws Exception {
    try (Engine engine = Door.CONNECTED.open()) {
      Image image = Image.pixels(ByteBuffer.allocate(3 * SIDE * SIDE), Format.RGB, SIDE, SIDE);
      Callable<Integer> work = () -> {
        for (int call = 0; call < HandleTests.CALLS / HandleTests.THREADS; call++) {
          assertTrue(engine.detect(image).isEmpty());
        }
        return 0;
      };
      HandleTests.inThreads(work);
      useSessions(engine, image);
      long before = residentBytes();
      for (int round = 0; round < ROUNDS; round++) {
        HandleTests.inThreads(work);
      }
      useSessions(engine, image);
      long grown = residentBytes() - before;
      System.out.println(ROUNDS * HandleTests.CALLS + " calls, " + SESSIONS + " sessions: " + grown + " bytes more");
      assertTrue(grown < ALLOWED, grown + " bytes more");
      assertEquals(1, Handle.open());
    }
  }

  private static void useSessions(Engine engine, Image image) {
    for (int number = 0; number < SESSIONS; number++) {
      try (Session session = engine.session(new SessionListener() {})) {
        session.submit(image);
        session.flush();
      }
    }
  }
}
