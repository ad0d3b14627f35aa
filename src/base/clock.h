/* Time as seconds. */
#ifndef WAC_BASE_CLOCK_H
#define WAC_BASE_CLOCK_H

/* Of a clock that only goes forward; where it began means nothing. */
double wac_clock_seconds(void);

/* Of the processors that this process has had, all threads together. */
double wac_clock_processor_seconds(void);

#endif
