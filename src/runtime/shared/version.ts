/** Version of this program, as package.json has it; a test compares both. */
export const VERSION = '0.1.0';
