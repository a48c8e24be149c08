/** Sizes which the screen and its skeleton share, so that nothing jumps when the numbers arrive. */
export const tileColumns = { base: 2, sm: 3, lg: 5 };
export const tileHeight = 120;
export const chartHeight = 240;
export const emptyHeight = 120;
export const chartPanelHeight = chartHeight + 80;
export const listPanelHeight = 420;
export const topPanelHeight = 200;
