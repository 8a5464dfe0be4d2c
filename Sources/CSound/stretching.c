#include "include/stretching.h"

// Vectors instead of loops over floats: a debug build runs minutes of sound in seconds.
typedef float vector __attribute__((vector_size(16), aligned(4)));
enum { vectors = stretching_taps * 2 / 4 };

void stretching_write(float *ring, int64_t capacity, int64_t position, const int16_t *samples, int64_t count) {
  int64_t index = position % capacity;
  for (int64_t frame = 0; frame < count; frame++) {
    float *first = ring + index * 2, *second = first + capacity * 2;
    first[0] = second[0] = samples[frame * 2];
    first[1] = second[1] = samples[frame * 2 + 1];
    if (++index == capacity) index = 0;
  }
}

void stretching_clear(float *ring, int64_t capacity, int64_t position, int64_t count) {
  static const int16_t silence[2];
  for (int64_t frame = 0; frame < count; frame++) stretching_write(ring, capacity, position + frame, silence, 1);
}

void stretching_read(
    const float *filters, const float *ring, int64_t capacity, int64_t *position, double *fraction, double speed, float *output,
    int64_t count) {
  int64_t index = (*position - (stretching_taps / 2 - 1)) % capacity;
  double rest = *fraction;
  int64_t moved = 0;
  for (int64_t frame = 0; frame < count; frame++) {
    double place = rest * stretching_phases;
    int row = (int)place;
    if (row >= stretching_phases) row = stretching_phases - 1;
    float t = (float)(place - row);
    const vector *a = (const vector *)(filters + row * vectors * 4), *b = a + vectors;
    const vector *samples = (const vector *)(ring + index * 2);
    vector sum = {0, 0, 0, 0};
    for (int i = 0; i < vectors; i++) sum += (a[i] + (b[i] - a[i]) * t) * samples[i];
    output[frame * 2] = sum[0] + sum[2];
    output[frame * 2 + 1] = sum[1] + sum[3];
    rest += speed;
    int step = (int)rest;
    rest -= step;
    moved += step;
    index += step;
    if (index >= capacity) index -= capacity;
  }
  *position += moved;
  *fraction = rest;
}
