#pragma once
#include <pulse/error.h>
#include <pulse/introspect.h>
#include <pulse/mainloop.h>
#include <pulse/context.h>
#include <pulse/simple.h>
#include <pulse/subscribe.h>
