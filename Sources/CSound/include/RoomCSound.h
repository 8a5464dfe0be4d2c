#pragma once
#include "pitch.h"
#include "stretching.h"
#include "voice_processing.h"
