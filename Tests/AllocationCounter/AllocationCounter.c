#define _GNU_SOURCE
#include "AllocationCounter.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// One counter a thread, so that tests that run beside the one that counts do not disturb it. Volatile,
// because compilers know malloc and do not expect it to count.
static __thread volatile uint64_t allocations __attribute__((tls_model("initial-exec")));

uint64_t allocation_count(void) { return allocations; }

int allocation_counter_is_active(void) {
  uint64_t before = allocations;
  void *volatile probe = malloc(24);
  free(probe);
  return allocations == before + 1;
}

// dlsym may ask for memory before it has found malloc; it gets some of this and never gives it back.
static char early[4096];
static size_t early_used;

static void *take_early(size_t size) {
  size_t start = (early_used + 15) & ~(size_t)15;
  if (size > sizeof early - start) return NULL;
  early_used = start + size;
  return early + start;
}

static int is_early(const void *place) {
  return (const char *)place >= early && (const char *)place < early + sizeof early;
}

#define NEXT(name, ...)                                                  \
  static __typeof__(&name) next;                                         \
  static __thread int searching __attribute__((tls_model("initial-exec"))); \
  if (!next && !searching) {                                             \
    searching = 1;                                                       \
    next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                   \
    searching = 0;                                                       \
  }

void *malloc(size_t size) {
  NEXT(malloc)
  allocations++;
  return next ? next(size) : take_early(size);
}

void *calloc(size_t count, size_t size) {
  NEXT(calloc)
  allocations++;
  return next ? next(count, size) : take_early(count * size);
}

void *realloc(void *old, size_t size) {
  NEXT(realloc)
  allocations++;
  if (!is_early(old)) return next ? next(old, size) : NULL;
  void *new = malloc(size);
  size_t most = (size_t)(early + sizeof early - (char *)old);
  if (new) memcpy(new, old, size < most ? size : most);
  return new;
}

int posix_memalign(void **place, size_t alignment, size_t size) {
  NEXT(posix_memalign)
  allocations++;
  return next ? next(place, alignment, size) : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
  NEXT(aligned_alloc)
  allocations++;
  return next ? next(alignment, size) : NULL;
}

void free(void *place) {
  NEXT(free)
  if (place && !is_early(place) && next) next(place);
}
