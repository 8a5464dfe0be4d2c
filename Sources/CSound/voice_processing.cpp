#include "include/voice_processing.h"

#include <memory>
#include <new>

#include "webrtc/modules/audio_processing/include/audio_processing.h"

using webrtc::AudioProcessing;

struct voice_processing {
  std::unique_ptr<AudioProcessing> processing;
};

voice_processing *voice_processing_create(bool cancels_echo, int noise_level, bool adjusts_gain) {
  try {
    webrtc::Config config;
    // The delay between playing and capturing is only known roughly, and rooms reverberate.
    config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
    config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
    // It would set the volume of a device.
    config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
    std::unique_ptr<AudioProcessing> made(AudioProcessing::Create(config));
    if (!made) return nullptr;
    const auto mono = AudioProcessing::kMono;
    int failed = made->Initialize(48000, 48000, 48000, mono, mono, mono);
    failed |= made->high_pass_filter()->Enable(true);
    failed |= made->echo_cancellation()->Enable(cancels_echo);
    failed |= made->echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kHighSuppression);
    if (noise_level >= 0) {
      failed |= made->noise_suppression()->set_level(static_cast<webrtc::NoiseSuppression::Level>(noise_level));
      failed |= made->noise_suppression()->Enable(true);
    }
    if (adjusts_gain) {
      failed |= made->gain_control()->set_mode(webrtc::GainControl::kAdaptiveDigital);
      failed |= made->gain_control()->Enable(true);
    }
    if (failed) return nullptr;
    return new voice_processing{std::move(made)};
  } catch (...) {
    return nullptr;
  }
}

void voice_processing_free(voice_processing *processing) { delete processing; }

int voice_processing_play(voice_processing *processing, const float *samples) {
  try {
    return processing->processing->AnalyzeReverseStream(&samples, 480, 48000, AudioProcessing::kMono);
  } catch (...) {
    return -1;
  }
}

int voice_processing_capture(voice_processing *processing, float *samples, int delay) {
  try {
    processing->processing->set_stream_delay_ms(delay);
    return processing->processing->ProcessStream(
        &samples, 480, 48000, AudioProcessing::kMono, 48000, AudioProcessing::kMono, &samples);
  } catch (...) {
    return -1;
  }
}
