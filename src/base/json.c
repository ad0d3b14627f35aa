/* Writing into a buffer of known size: nothing has to grow on the way. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

char *wac_json_text(const json_t *json, size_t flags, size_t *size)
{
    *size = json ? json_dumpb(json, NULL, 0, flags) : 0;
    char *text = *size ? malloc(*size + 1) : NULL;
    if (text && json_dumpb(json, text, *size, flags) != *size) {
        free(text);
        text = NULL;
    }
    if (text)
        text[*size] = 0;
    return text;
}

json_t *wac_json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}
