#include <webrtc_audio_processing/webrtc/base/checks.h>
