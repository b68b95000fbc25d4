package com.faceengine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A struct of C as its bytes, with the defaults of the library and what was set. Members are written at their
   offsets. */
abstract class Options<T extends Options<T>> implements Cloneable {
  private static final byte[][] DEFAULTS = new byte[8][];
  /** Never changed; of the class that changed options have too, which keeps their look-ups fast. */
  private static final Map<String, Object> NOTHING = new LinkedHashMap<>();

  private byte[] struct;
  private Map<String, Object> given = NOTHING;

  /** The defaults, from face_..._init_sized number `kind` of the table in native/engine.c, which is called once for
     each. */
  Options(int kind, int size) {
    byte[] defaults = DEFAULTS[kind];
    if (defaults == null) {
      defaults = new byte[size];
      Native.initialise(kind, defaults);
      DEFAULTS[kind] = defaults;
    }
    struct = defaults.clone();
  }

  /** The bytes, to change them before anybody else has this object. */
  ByteBuffer fresh() {
    return ByteBuffer.wrap(struct).order(ByteOrder.nativeOrder());
  }

  /** The bytes, which nobody changes. */
  byte[] struct() {
    return struct;
  }

  /** What was set, also what the struct only points to; null if that was not. */
  Object given(String name) {
    return given.get(name);
  }

  /** A text that was set, as C reads it; null if it was not. */
  byte[] text(String name) {
    return given.get(name) == null ? null : Native.text((String) given.get(name));
  }

  T with(String name, int value, int at) {
    return changed(name, value, struct -> struct.putInt(at, value));
  }

  T withCount(String name, int value, int at) {
    if (value < 0) {
      throw FaceEngineException.wrong(name + " is " + value + "; give 0 or more");
    }
    return with(name, value, at);
  }

  T with(String name, long value, int at) {
    return changed(name, value, struct -> struct.putLong(at, value));
  }

  T with(String name, float value, int at) {
    return changed(name, value, struct -> struct.putFloat(at, value));
  }

  T with(String name, boolean value, int at) {
    return changed(name, value, struct -> struct.putInt(at, value ? 1 : 0));
  }

  T withBit(String name, boolean value, int at, int bit) {
    return changed(
        name, value, struct -> struct.putInt(at, value ? struct.getInt(at) | bit : struct.getInt(at) & ~bit));
  }

  T with(String name, Numbered value, int at) {
    Objects.requireNonNull(value, name);
    return changed(name, value, struct -> struct.putInt(at, value.number()));
  }

  static long nanoseconds(String name, Duration value) {
    if (value.isNegative() || value.getSeconds() >= 1_000_000_000) {
      throw FaceEngineException.wrong(name + " is " + value + "; give 0 or more, and less than 1000000000 s");
    }
    return value.toNanos();
  }

  T with(String name, Duration value, int at) {
    long nanoseconds = nanoseconds(name, value);
    return changed(name, value, struct -> struct.putLong(at, nanoseconds));
  }

  T with(String name, Circle value, int at) {
    return changed(name, value, struct -> value.put(struct, at));
  }

  T with(String name, Box value, int at) {
    return changed(name, value, struct -> value.put(struct, at));
  }

  /** A canceller: the struct gets its handle. Null for none. */
  T with(String name, Canceller value, int at) {
    return changed(name, value, struct -> struct.putLong(at, value == null ? 0 : value.handle()));
  }

  /** A space, whose bytes go to C beside the struct; null for none. */
  T with(String name, Space value, int at) {
    return withObject(name, value);
  }

  /** Limits that belong together; those that are set later win. */
  T with(String name, CheckPreset value) {
    return changed(name, value, struct -> Native.applyPreset(struct.array(), value.number()));
  }

  T withText(String name, String value) {
    if (value != null && value.indexOf('\0') >= 0) {
      throw FaceEngineException.wrong(name + " has a NUL character; pass a text without it");
    }
    return withObject(name, value);
  }

  T withObject(String name, Object value) {
    return changed(name, value, struct -> {});
  }

  T withList(String name, List<? extends Numbered> values, int at, int count, int most) {
    if (values.size() > most) {
      throw FaceEngineException.wrong(name + " has " + values.size() + " members; give at most " + most);
    }
    return changed(name, List.copyOf(values), struct -> {
      for (int place = 0; place < values.size(); place++) {
        struct.putInt(at + 4 * place, values.get(place).number());
      }
      struct.putInt(count, values.size());
    });
  }

  /** A change of a struct's bytes. */
  interface Change {
    void apply(ByteBuffer struct);
  }

  T changed(String name, Object value, Change change) {
    try {
      @SuppressWarnings("unchecked") T copy = (T) clone();
      Options<T> made = copy;
      made.struct = struct.clone();
      made.given = new LinkedHashMap<>(given);
      made.given.put(name, value);
      change.apply(made.fresh());
      return copy;
    } catch (CloneNotSupportedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** The options that were set. */
  @Override
  public String toString() {
    return getClass().getSimpleName() + given;
  }
}
