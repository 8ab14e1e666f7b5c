// Input is const for zlib only where this is asked for.
#define ZLIB_CONST
#include <zlib.h>
