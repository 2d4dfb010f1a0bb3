import { decode, encode } from 'fast-png'
import { readFileSync, writeFileSync } from 'node:fs'
const [out, ...files] = process.argv.slice(2)
const imgs = files.map(f => { const p = decode(readFileSync(f)); const n = p.width*p.height; const rgb = new Uint8Array(3*n)
 for (let i=0;i<n;i++){ for(let c=0;c<3;c++){ rgb[3*i+c] = p.palette ? p.palette[p.data[i]][c] : p.channels===1? p.data[i] : p.data[p.channels*i+c] } }
 return {w:p.width,h:p.height,rgb}})
const W=Math.max(...imgs.map(i=>i.w)), H=imgs.reduce((a,i)=>a+i.h+4,0)
const d=new Uint8Array(3*W*H).fill(200); let y=0
for(const i of imgs){ for(let r=0;r<i.h;r++) d.set(i.rgb.subarray(3*r*i.w,3*(r+1)*i.w),3*((y+r)*W)); y+=i.h+4 }
writeFileSync(out, encode({width:W,height:H,data:d,channels:3,depth:8}))
