#pragma once
#include <xcb/xcb.h>
#include <xcb/composite.h>
#include <xcb/randr.h>
#include <xcb/shm.h>
#include <xcb/xfixes.h>

// Swift cannot take the addresses of these constants, which the library identifies by their address.
static inline xcb_extension_t *xcb_extension_of_randr(void) { return &xcb_randr_id; }
static inline xcb_extension_t *xcb_extension_of_shm(void) { return &xcb_shm_id; }
static inline xcb_extension_t *xcb_extension_of_composite(void) { return &xcb_composite_id; }
static inline xcb_extension_t *xcb_extension_of_xfixes(void) { return &xcb_xfixes_id; }
