/* A policy as an ONNX file. */
#ifndef WAC_EXPORT_ONNX_H
#define WAC_EXPORT_ONNX_H

#include "export/portable.h"

enum { WAC_ONNX_OPSET = 13, WAC_ONNX_IR = 7 };

/* observation [batch][observations] → action [batch][actions] and, with critics, value [batch][1]
 * and, where they know it, std [batch][1], of that action. */
wac_status wac_onnx_write(const wac_portable *portable, const char *path, wac_error *error);

#endif
