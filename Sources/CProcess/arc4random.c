// The C++ library asks for arc4random where it was built against a glibc that has it (2.36). A program with the library linked in
// would then not start with an older one, as Ubuntu 22.04's; so it brings its own.
#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <errno.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t number;
  // Requests of up to 256 bytes are answered whole; only before the kernel has gathered its first randomness can a signal come
  // between.
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR) abort();
  return number;
}
#endif
