#include <webrtc_audio_processing/webrtc/base/arraysize.h>
