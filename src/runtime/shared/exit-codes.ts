/** Process exit codes, the same for every command (charter §6). */
export const EXIT_OK = 0;
/** The command ran and found what it looks for; only where the command documents it. */
export const EXIT_FOUND = 1;
/** Usage, configuration or adapter failure. */
export const EXIT_FAILURE = 2;
