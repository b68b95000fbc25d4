/// Pseudorandom numbers that are the same in every run, and memory filled with them.
/// Source: Marsaglia, "Xorshift RNGs", 2003.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static uint32_t random_state = 1;

static inline uint32_t random_bits(void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

static inline int random_between(int least, int most)
{
  return least + (int)(random_bits() % (uint32_t)(most - least + 1));
}

/// A number from -1 to 1.
static inline float random_float(void) { return (float)(random_bits() >> 8) / (1 << 23) - 1; }

/// Exactly as long as needed, so that the address sanitizer sees the first float after it; aligned to 64 bytes.
static inline float *floats(size_t count)
{
  float *values;
  if (posix_memalign((void **)&values, 64, count * sizeof(float) + 1) != 0) abort();
  return values;
}

static inline float *random_floats(size_t count, float scale)
{
  float *values = floats(count);
  for (size_t i = 0; i < count; i++) values[i] = random_float() * scale;
  return values;
}
