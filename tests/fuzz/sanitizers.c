/* How the sanitizers watch a fuzzer. A process runs millions of inputs, so that what one of them
 * frees is soon used again, which costs less than new memory, and nobody notes who asked for it: an
 * input that fails is run again by a build that does. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=0:max_malloc_fill_size=0";
}
