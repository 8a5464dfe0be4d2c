#pragma once
#include "stretching.h"
#include "voice_processing.h"
