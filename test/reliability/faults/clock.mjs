// Loaded before everything else (--import): the clock of the day jumps back by a day, then forward by two, every 50 ms.
const { now } = Date
const start = performance.now()
const DAY = 86_400_000
Date.now = () => now() + (Math.floor((performance.now() - start) / 50) % 2 === 0 ? -DAY : DAY)
