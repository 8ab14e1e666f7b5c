// The processor's own instruction for CRC-32C, which no Swift expression reaches.
#ifndef DOCSTORE_CHECKSUM_H
#define DOCSTORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
static inline int docstore_crc32c_is_supported(void) {
  // Leaf 1, which every such processor has: bit 20 of the third register is SSE 4.2.
  uint32_t a = 1, b, c = 0, d;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return c >> 20 & 1;
}

// Goes on from `crc`, which is inverted, as is the result. Only where it is supported.
__attribute__((target("sse4.2"))) static inline uint32_t docstore_crc32c(
    uint32_t crc, const uint8_t *bytes, size_t count) {
  uint64_t sum = crc;
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, 8);
    sum = __builtin_ia32_crc32di(sum, word);
  }
  crc = (uint32_t)sum;
  for (; count > 0; count--, bytes++) crc = __builtin_ia32_crc32qi(crc, *bytes);
  return crc;
}

#else

static inline int docstore_crc32c_is_supported(void) { return 0; }

static inline uint32_t docstore_crc32c(uint32_t crc, const uint8_t *bytes, size_t count) {
  (void)bytes;
  (void)count;
  return crc;
}

#endif
#endif
