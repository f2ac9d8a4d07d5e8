// Express 4 is installed beside 5 under this name (npm alias), which no type package knows.
declare module 'express4' {
  import express from 'express';
  export default express;
}
