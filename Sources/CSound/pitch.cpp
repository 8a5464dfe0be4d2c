#include "pitch.h"

#include <soundtouch/SoundTouch.h>

#include <algorithm>
#include <new>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

struct pitch {
  soundtouch::SoundTouch engine;
  uint32_t delay = 0;
  /// The silence that is still to be returned before the first changed sample.
  uint32_t silence = 0;
};

#ifdef __SSE__
// The library is linked with -ffast-math, whose start-up code lets the whole process flush subnormal numbers to zero. This code runs
// after it and restores IEEE 754 arithmetic, which the app expects.
__attribute__((constructor)) static void restore_subnormals() {
  constexpr unsigned flush_to_zero = 1 << 15, denormals_are_zero = 1 << 6;
  _mm_setcsr(_mm_getcsr() & ~(flush_to_zero | denormals_are_zero));
}
#endif

// No exception may leave these functions: their callers are not C++.

pitch *pitch_create(float semitones) try {
  auto *made = new pitch;
  made->engine.setSampleRate(48000);
  made->engine.setChannels(2);
  made->engine.setPitchSemiTones(semitones);
  // The engine returns whole sequences: with this delay there is always enough for the next block of 20 ms.
  int latency = made->engine.getSetting(SETTING_INITIAL_LATENCY) + made->engine.getSetting(SETTING_NOMINAL_INPUT_SEQUENCE);
  made->delay = made->silence = uint32_t(std::max(0, latency)) + 960;
  return made;
} catch (...) {
  return nullptr;
}

void pitch_free(pitch *pitch) { delete pitch; }

void pitch_process(pitch *pitch, float *samples, uint32_t count) try {
  pitch->engine.putSamples(samples, count);
  uint32_t quiet = std::min(count, pitch->silence);
  pitch->silence -= quiet;
  std::fill(samples, samples + quiet * 2, 0.0f);
  uint32_t done = quiet;
  while (done < count) {
    uint32_t received = pitch->engine.receiveSamples(samples + done * 2, count - done);
    if (received == 0) break;
    done += received;
  }
  std::fill(samples + done * 2, samples + count * 2, 0.0f);
} catch (...) {
  std::fill(samples, samples + count * 2, 0.0f);
}

uint32_t pitch_delay(const pitch *pitch) { return pitch->delay; }
