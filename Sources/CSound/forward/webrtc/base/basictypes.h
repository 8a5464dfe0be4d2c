#include <webrtc_audio_processing/webrtc/base/basictypes.h>
