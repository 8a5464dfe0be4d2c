#pragma once
#include <gnutls/gnutls.h>
