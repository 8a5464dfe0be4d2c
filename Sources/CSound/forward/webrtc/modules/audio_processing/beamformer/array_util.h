#include <webrtc_audio_processing/webrtc/modules/audio_processing/beamformer/array_util.h>
