/* Small pictures in grey, as PNG. */
#ifndef WAC_BASE_PNG_H
#define WAC_BASE_PNG_H

#include <stddef.h>

/* pixels: [height][width], 0 black. From malloc; null where memory runs out. Not compressed. Both
 * sides are below 65536 / height. */
unsigned char *wac_png_grey(size_t *size, const unsigned char *pixels, int width, int height);

#endif
