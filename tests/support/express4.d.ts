// Express 4 is installed next to 5 under this name (npm alias), for which no type package exists.
declare module 'express4' {
  import express from 'express';
  export default express;
}
