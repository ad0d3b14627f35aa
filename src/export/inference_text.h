/* The text of inference.h, which the build makes a string of (CMakeLists.txt). */
#ifndef WAC_EXPORT_INFERENCE_TEXT_H
#define WAC_EXPORT_INFERENCE_TEXT_H

extern const char wac_inference_text[];

#endif
