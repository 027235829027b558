// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

/* The C boundary between the host and a plugin: one exported symbol, `berth_plugin`.
 *
 * Rules of growth: fields are only ever added at the end of a struct, with a new abi_minor; a
 * change of a shipped field, or of a C++ type that crosses, is a new abi_major. Nothing of C++
 * crosses before magic, struct_size, abi_major, toolchain and layout_hash were compared. */
#ifndef BERTH_PLUGIN_ABI_H
#define BERTH_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#define BERTH_PLUGIN_MAGIC 0x4e49475548545245ULL /* spells the format, catches foreign symbols */
#define BERTH_ABI_MAJOR 1u
#define BERTH_ABI_MINOR 0u

#ifdef __cplusplus
extern "C" {
#endif

/* Type of an option's value. Text in, text out: defaults are written as a user would. */
enum berth_option_type {
  BERTH_OPTION_INTEGER = 0,
  BERTH_OPTION_REAL = 1,
  BERTH_OPTION_FLAG = 2, /* true | false */
  BERTH_OPTION_TEXT = 3,
  BERTH_OPTION_CHOICE = 4, /* one of `choices`, comma separated */
};

typedef struct berth_option_spec {
  const char* name; /* lower_snake_case, as in the paper or the field */
  int32_t type;     /* berth_option_type */
  const char* default_value;
  double minimum; /* numbers only, inclusive */
  double maximum;
  const char* unit;    /* "" where there is none */
  const char* choices; /* "" unless BERTH_OPTION_CHOICE */
  const char* help;    /* one sentence */
} berth_option_spec;

/* One algorithm that a plugin offers, under one interface. */
typedef struct berth_offer {
  const char* interface_id; /* for example "berth.placement/1" */
  const char* name;         /* lower-case-with-dashes: what a user types */
  const char* summary;      /* one line */
  const berth_option_spec* options;
  uint32_t option_count;
} berth_offer;

/* Written by create(): an exit-code category and one line of text. */
typedef struct berth_status {
  int32_t code;
  char message[1024];
} berth_status;

typedef struct berth_plugin_descriptor {
  uint64_t magic;
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint64_t layout_hash;
  const char* toolchain;
  const char* name;
  const char* version;
  const berth_offer* offers;
  uint32_t offer_count;
  /* Creates the object of one offer. `host` is a berth::HostServices. On success returns 0 and
   * stores a pointer to the interface class in *object; otherwise fills *status. Never throws. */
  int32_t (*create)(const char* interface_id,
                    const char* name,
                    const void* host,
                    void** object,
                    berth_status* status);
  /* Destroys what create() made, on the plugin's side. Never throws. */
  void (*destroy)(const char* interface_id, void* object);
} berth_plugin_descriptor;

#ifdef __cplusplus
} /* extern "C" */

static_assert(offsetof(berth_plugin_descriptor, magic) == 0, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, struct_size) == 8, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, abi_major) == 12, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, abi_minor) == 16, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, layout_hash) == 24, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, toolchain) == 32, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, name) == 40, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, version) == 48, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, offers) == 56, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, offer_count) == 64, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, create) == 72, "shipped field moved");
static_assert(offsetof(berth_plugin_descriptor, destroy) == 80, "shipped field moved");
#endif

#endif /* BERTH_PLUGIN_ABI_H */
