// What a build knows of itself.
#pragma once
#include <stdint.h>

/// The first 28 bits of the commit that the program was built from, and bit 28 when files differed from it; 0 where nobody said.
uint32_t docstore_commit(void);
