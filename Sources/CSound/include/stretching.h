#pragma once
#include <stdint.h>

/// A ring of stereo samples that stores each one twice, at `index` and at `index + capacity`, so that a filter reads neighbours
/// without wrapping. `ring` has 4 × `capacity` values.

enum {
  /// The neighbours that a filter combines.
  stretching_taps = 24,
  /// The fractions of a sample for which there is a filter.
  stretching_phases = 128,
};

/// Writes `count` stereo samples at `position`.
void stretching_write(float *ring, int64_t capacity, int64_t position, const int16_t *samples, int64_t count);

/// Writes `count` stereo samples of silence at `position`.
void stretching_clear(float *ring, int64_t capacity, int64_t position, int64_t count);

/// Interpolates `count` stereo samples from `position` and `fraction` on, each `speed` further than the previous one.
/// `filters` has `stretching_phases` + 1 rows of 2 × `stretching_taps` coefficients, each given twice. Sample `taps / 2 - 1` of
/// a filter is at the position.
void stretching_read(
    const float *filters, const float *ring, int64_t capacity, int64_t *position, double *fraction, double speed, float *output,
    int64_t count);
