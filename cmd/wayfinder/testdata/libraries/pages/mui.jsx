import { useState } from "react"
import { createRoot } from "react-dom/client"
import { Autocomplete, FormControlLabel, InputLabel, FormControl, MenuItem, Rating, Select, Slider, Switch, TextField } from "@mui/material"
function App() {
  const [s, set] = useState({ size: "", fruit: "", stars: 0, mail: false, volume: 30 })
  window.state = () => s
  const to = (k) => (_, v) => set((s) => ({ ...s, [k]: v }))
  return <div style={{ width: 300, margin: 40 }}>
    <FormControl fullWidth><InputLabel id="size">Size</InputLabel><Select labelId="size" label="Size" value={s.size} onChange={(e) => to("size")(e, e.target.value)}><MenuItem value="s">Small</MenuItem><MenuItem value="l">Large</MenuItem></Select></FormControl>
    <Autocomplete options={["Apple", "Banana", "Grape"]} onChange={to("fruit")} renderInput={(p) => <TextField {...p} label="Fruit" />} />
    <Rating name="stars" value={s.stars} onChange={to("stars")} /><FormControlLabel control={<Switch onChange={to("mail")} />} label="Mail me" /><Slider aria-label="Volume" value={s.volume} onChange={to("volume")} /></div>
}
createRoot(app).render(<App />)
